// Shape and type inference on symbols.
#include <algorithm>
#include <string_view>

#include "convert.h"
#include "generated/impl.h"
#include "graph/indexed.h"
#include "graph/symbol.h"
#include "thread_store.h"

namespace mxnet::capi {
namespace {

// The three lists of results, and whether all of them are known.
template <class T>
struct Inferred {
  std::vector<T> args, outs, aux;
  bool complete = true;
};

bool is_known(const Shape& shape) { return shape.known(); }
bool is_known(DType type) { return type != DType::kUnknown; }

void infer(const IndexedGraph& graph, ShapeVec& values) { infer_shapes(graph, values); }
void infer(const IndexedGraph& graph, DTypeVec& values) { infer_types(graph, values); }

[[noreturn]] void fail_keyword(std::string_view what, const std::string& key, const std::vector<NodePtr>& arguments) {
  std::string candidates;
  for (size_t i = 0; i < arguments.size(); ++i) candidates += text("\n\t[", i, "]", arguments[i]->name);
  fail(what, "Keyword argument name ", key, " not found.\nCandidate arguments:", candidates);
}

// `known` belongs to the arguments named by `keys`, or to the first ones when keys is NULL.
template <class T>
Inferred<T> infer_symbol(const Symbol& symbol, std::string_view what, const char* const* keys, const std::vector<T>& known,
                         T unknown, const char* function) {
  const IndexedGraph graph(symbol.outputs);
  const std::vector<NodePtr> arguments = symbol.input_variables(InputKind::kReadOnly);
  if (keys == nullptr && known.size() > arguments.size()) {
    fail_as(ErrorKind::kValueError, function, ": ", known.size(), " values were given for ", arguments.size(),
            " arguments");
  }
  std::vector<T> values(graph.entry_node.size(), unknown);
  for (size_t i = 0; i < known.size(); ++i) {
    const Node* variable = nullptr;
    if (keys == nullptr) {
      variable = arguments[i].get();
    } else {
      const std::string key = string_at(keys, i, function, "keys");
      const auto it = std::find_if(arguments.begin(), arguments.end(),
                                   [&key](const NodePtr& node) { return node->name == key; });
      if (it == arguments.end()) fail_keyword(what, key, arguments);
      variable = it->get();
    }
    values[graph.nodes[graph.position.at(variable)].first_output] = known[i];
  }
  infer(graph, values);
  Inferred<T> result;
  const auto add = [&result](std::vector<T>& list, const T& value) {
    list.push_back(value);
    result.complete = result.complete && is_known(value);
  };
  const auto add_variables = [&](std::vector<T>& list, const std::vector<NodePtr>& variables) {
    for (const NodePtr& node : variables) add(list, values[graph.nodes[graph.position.at(node.get())].first_output]);
  };
  add_variables(result.args, arguments);
  for (const uint32_t head : graph.heads) add(result.outs, values[head]);
  add_variables(result.aux, symbol.input_variables(InputKind::kAuxiliary));
  return result;
}

template <class Dim> auto& shape_lists();
template <> auto& shape_lists<int>() { return mx_store().shapes; }
template <> auto& shape_lists<int64_t>() { return mx_store().shapes64; }

template <class Dim, class Size, class Ndim, class Data>
void give_shapes(int which, const ShapeVec& shapes, Size* size, const Ndim** ndim, const Data*** data) {
  static_assert(sizeof(Dim) == sizeof(Data) && sizeof(int) == sizeof(Ndim));
  ShapeList<Dim>& list = shape_lists<Dim>()[which];
  list.set(shapes, is_numpy_shape());
  *size = static_cast<Size>(shapes.size());
  *ndim = reinterpret_cast<const Ndim*>(list.ndim.data());
  *data = reinterpret_cast<const Data**>(list.data.data());
}

// Dim: how the store keeps dimensions; Data: how the signature spells them.
template <class Dim, class Index, class Data, class Size, class Ndim>
void infer_shape(const Symbol& sym, uint32_t num_args, const char** keys, const Index* arg_ind_ptr,
                 const Data* arg_shape_data, Size* in_size, const Ndim** in_ndim, const Data*** in_data, Size* out_size,
                 const Ndim** out_ndim, const Data*** out_data, Size* aux_size, const Ndim** aux_ndim,
                 const Data*** aux_data, int* complete, bool partial, const char* function) {
  const ShapeVec known =
      packed_shapes(num_args, arg_ind_ptr, reinterpret_cast<const Dim*>(arg_shape_data), function);
  const Inferred<Shape> result = infer_symbol(sym, "InferShape", keys, known, Shape(), function);
  give_shapes<Dim>(0, result.args, in_size, in_ndim, in_data);
  give_shapes<Dim>(1, result.outs, out_size, out_ndim, out_data);
  give_shapes<Dim>(2, result.aux, aux_size, aux_ndim, aux_data);
  *complete = partial || result.complete ? 1 : 0;
}

void give_types(int which, const std::vector<DType>& types, uint32_t* size, const int** data) {
  std::vector<int>& list = mx_store().ints[which];
  list.clear();
  for (const DType type : types) list.push_back(static_cast<int>(type));
  *size = static_cast<uint32_t>(list.size());
  *data = list.data();
}

void infer_type(const Symbol& sym, uint32_t num_args, const char** keys, const int* arg_type_data,
                uint32_t* in_type_size, const int** in_type_data, uint32_t* out_type_size, const int** out_type_data,
                uint32_t* aux_type_size, const int** aux_type_data, int* complete, bool partial,
                const char* function) {
  std::vector<DType> known;
  for (uint32_t i = 0; i < num_args; ++i) {
    known.push_back(arg_type_data[i] == -1 ? DType::kUnknown : dtype_from_code(arg_type_data[i]));
  }
  const Inferred<DType> result = infer_symbol(sym, "InferType", keys, known, DType::kUnknown, function);
  give_types(0, result.args, in_type_size, in_type_data);
  give_types(1, result.outs, out_type_size, out_type_data);
  give_types(2, result.aux, aux_type_size, aux_type_data);
  *complete = partial || result.complete ? 1 : 0;
}

}  // namespace

namespace impl {

void MXSymbolInferShape(SymbolObject& sym, uint32_t num_args, const char** keys, const uint32_t* arg_ind_ptr,
                        const uint32_t* arg_shape_data, uint32_t* in_shape_size, const uint32_t** in_shape_ndim,
                        const uint32_t*** in_shape_data, uint32_t* out_shape_size, const uint32_t** out_shape_ndim,
                        const uint32_t*** out_shape_data, uint32_t* aux_shape_size, const uint32_t** aux_shape_ndim,
                        const uint32_t*** aux_shape_data, int* complete) {
  infer_shape<int>(sym, num_args, keys, arg_ind_ptr, arg_shape_data, in_shape_size, in_shape_ndim, in_shape_data,
                   out_shape_size, out_shape_ndim, out_shape_data, aux_shape_size, aux_shape_ndim, aux_shape_data,
                   complete, false, __func__);
}

void MXSymbolInferShapePartial(SymbolObject& sym, uint32_t num_args, const char** keys, const uint32_t* arg_ind_ptr,
                               const uint32_t* arg_shape_data, uint32_t* in_shape_size, const uint32_t** in_shape_ndim,
                               const uint32_t*** in_shape_data, uint32_t* out_shape_size,
                               const uint32_t** out_shape_ndim, const uint32_t*** out_shape_data,
                               uint32_t* aux_shape_size, const uint32_t** aux_shape_ndim,
                               const uint32_t*** aux_shape_data, int* complete) {
  infer_shape<int>(sym, num_args, keys, arg_ind_ptr, arg_shape_data, in_shape_size, in_shape_ndim, in_shape_data,
                   out_shape_size, out_shape_ndim, out_shape_data, aux_shape_size, aux_shape_ndim, aux_shape_data,
                   complete, true, __func__);
}

void MXSymbolInferShapeEx(SymbolObject& sym, uint32_t num_args, const char** keys, const uint32_t* arg_ind_ptr,
                          const int* arg_shape_data, uint32_t* in_shape_size, const int** in_shape_ndim,
                          const int*** in_shape_data, uint32_t* out_shape_size, const int** out_shape_ndim,
                          const int*** out_shape_data, uint32_t* aux_shape_size, const int** aux_shape_ndim,
                          const int*** aux_shape_data, int* complete) {
  infer_shape<int>(sym, num_args, keys, arg_ind_ptr, arg_shape_data, in_shape_size, in_shape_ndim, in_shape_data,
                   out_shape_size, out_shape_ndim, out_shape_data, aux_shape_size, aux_shape_ndim, aux_shape_data,
                   complete, false, __func__);
}

void MXSymbolInferShapePartialEx(SymbolObject& sym, uint32_t num_args, const char** keys, const uint32_t* arg_ind_ptr,
                                 const int* arg_shape_data, uint32_t* in_shape_size, const int** in_shape_ndim,
                                 const int*** in_shape_data, uint32_t* out_shape_size, const int** out_shape_ndim,
                                 const int*** out_shape_data, uint32_t* aux_shape_size, const int** aux_shape_ndim,
                                 const int*** aux_shape_data, int* complete) {
  infer_shape<int>(sym, num_args, keys, arg_ind_ptr, arg_shape_data, in_shape_size, in_shape_ndim, in_shape_data,
                   out_shape_size, out_shape_ndim, out_shape_data, aux_shape_size, aux_shape_ndim, aux_shape_data,
                   complete, true, __func__);
}

void MXSymbolInferShapeEx64(SymbolObject& sym, uint32_t num_args, const char** keys, const int64_t* arg_ind_ptr,
                            const int64_t* arg_shape_data, size_t* in_shape_size, const int** in_shape_ndim,
                            const int64_t*** in_shape_data, size_t* out_shape_size, const int** out_shape_ndim,
                            const int64_t*** out_shape_data, size_t* aux_shape_size, const int** aux_shape_ndim,
                            const int64_t*** aux_shape_data, int* complete) {
  infer_shape<int64_t>(sym, num_args, keys, arg_ind_ptr, arg_shape_data, in_shape_size, in_shape_ndim, in_shape_data,
                       out_shape_size, out_shape_ndim, out_shape_data, aux_shape_size, aux_shape_ndim, aux_shape_data,
                       complete, false, __func__);
}

void MXSymbolInferShapePartialEx64(SymbolObject& sym, uint32_t num_args, const char** keys,
                                   const int64_t* arg_ind_ptr, const int64_t* arg_shape_data, size_t* in_shape_size,
                                   const int** in_shape_ndim, const int64_t*** in_shape_data, size_t* out_shape_size,
                                   const int** out_shape_ndim, const int64_t*** out_shape_data,
                                   size_t* aux_shape_size, const int** aux_shape_ndim,
                                   const int64_t*** aux_shape_data, int* complete) {
  infer_shape<int64_t>(sym, num_args, keys, arg_ind_ptr, arg_shape_data, in_shape_size, in_shape_ndim, in_shape_data,
                       out_shape_size, out_shape_ndim, out_shape_data, aux_shape_size, aux_shape_ndim, aux_shape_data,
                       complete, true, __func__);
}

void MXSymbolInferType(SymbolObject& sym, uint32_t num_args, const char** keys, const int* arg_type_data,
                       uint32_t* in_type_size, const int** in_type_data, uint32_t* out_type_size,
                       const int** out_type_data, uint32_t* aux_type_size, const int** aux_type_data, int* complete) {
  infer_type(sym, num_args, keys, arg_type_data, in_type_size, in_type_data, out_type_size, out_type_data,
             aux_type_size, aux_type_data, complete, false, __func__);
}

void MXSymbolInferTypePartial(SymbolObject& sym, uint32_t num_args, const char** keys, const int* arg_type_data,
                              uint32_t* in_type_size, const int** in_type_data, uint32_t* out_type_size,
                              const int** out_type_data, uint32_t* aux_type_size, const int** aux_type_data,
                              int* complete) {
  infer_type(sym, num_args, keys, arg_type_data, in_type_size, in_type_data, out_type_size, out_type_data,
             aux_type_size, aux_type_data, complete, true, __func__);
}

}  // namespace impl
}  // namespace mxnet::capi
