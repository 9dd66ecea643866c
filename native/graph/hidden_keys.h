// The attributes that front ends may write without the underscores under which files and nodes keep them.
#pragma once

#include <algorithm>
#include <string_view>

namespace mxnet {

inline constexpr std::string_view kHiddenKeys[] = {"ctx_group", "lr_mult", "wd_mult", "force_mirroring",
                                                   "mirror_stage"};

// The hidden key that `key` is or ends with (weight_lr_mult: lr_mult), or "".
inline std::string_view hidden_suffix(std::string_view key) {
  const auto* at = std::find_if(std::begin(kHiddenKeys), std::end(kHiddenKeys),
                                [&](std::string_view hidden) { return key.ends_with(hidden); });
  return at == std::end(kHiddenKeys) ? std::string_view{} : *at;
}

}  // namespace mxnet
