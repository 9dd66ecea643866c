// What a handle of each kind stands for.
#pragma once

#include <cstdint>

#include "generated/kinds.h"

namespace mxnet {
class NDArray;
class OpDef;
class Symbol;
}  // namespace mxnet

namespace mxnet::capi {

struct CallObject;
struct ExecutorObject;
struct NDListObject;
struct PredictorObject;
struct RecordIOObject;
struct LegacyFunction;
struct PackedFunction;

using NDArrayObject = NDArray;
using SymbolObject = Symbol;
using OpObject = const OpDef;
using FunctionObject = const LegacyFunction;
using PackedFunctionObject = const PackedFunction;

template <class T> struct KindOf;
template <> struct KindOf<NDArrayObject> { static constexpr Kind value = Kind::kNDArray; };
template <> struct KindOf<SymbolObject> { static constexpr Kind value = Kind::kSymbol; };
template <> struct KindOf<ExecutorObject> { static constexpr Kind value = Kind::kExecutor; };
template <> struct KindOf<OpObject> { static constexpr Kind value = Kind::kOp; };
template <> struct KindOf<FunctionObject> { static constexpr Kind value = Kind::kFunction; };
template <> struct KindOf<PredictorObject> { static constexpr Kind value = Kind::kPredictor; };
template <> struct KindOf<NDListObject> { static constexpr Kind value = Kind::kNDList; };
template <> struct KindOf<RecordIOObject> { static constexpr Kind value = Kind::kRecordIO; };
template <> struct KindOf<const CallObject> { static constexpr Kind value = Kind::kCall; };
template <> struct KindOf<PackedFunctionObject> { static constexpr Kind value = Kind::kPackedFunction; };

}  // namespace mxnet::capi
