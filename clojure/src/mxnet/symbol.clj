(ns mxnet.symbol
  "Symbols: computations that are described first and run later, on arrays they are bound to.

      (require '[mxnet.symbol :as sym])
      (def net (as-> (sym/variable \"data\") data
                 (sym/fully-connected \"fc1\" {:data data :num-hidden 128})
                 (sym/activation \"act1\" {:data data :act-type :relu})
                 (sym/softmax-output \"out\" {:data data})))
      (sym/list-arguments net)  ;=> [\"data\" \"fc1_weight\" \"fc1_bias\" \"out_label\"]

  Every operator of the library is a function here, which is called as

      (op {:data x :num-hidden 10})              ; inputs and parameters in one map, also :name and :attr
      (op \"fc1\" {:data x :num-hidden 10})        ; with a name; x or [x y] may stand for the map
      (op \"fc1\" {\"__lr_mult__\" \"2\"} {:data x})   ; with attributes
      (op \"cat\" nil [x y] {:dim 1})              ; with inputs in a list
      (op x y {:axis 1})                         ; inputs, then parameters, by position

  Keys may be written as keywords or strings, in kebab or snake case. Shapes and other tuples are vectors,
  enumerations keywords or strings. Inputs that are left out become variables named after the node."
  (:refer-clojure :exclude [+ - * / < > <= >= load set get apply empty to-array ref abs cast concat flatten identity
                            max min repeat reverse shuffle sort take update name symbol?])
  (:require [clojure.core :as c]
            [clojure.string :as string]
            [mxnet.context :as context]
            [mxnet.dtype :as dtype]
            [mxnet.impl.bind :as bind]
            [mxnet.impl.coerce :as coerce]
            [mxnet.impl.error :as error]
            [mxnet.impl.graph :as graph]
            [mxnet.impl.names :as names]
            [mxnet.impl.native :as native]
            [mxnet.impl.op :as op]
            [mxnet.impl.registry :as registry]
            [mxnet.ndarray :as ndarray]
            [mxnet.shape :as shape])
  (:import (java.io Writer)
           (mxnet CStrings Symbol)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn symbol?
  "Whether x is a symbol of this library."
  [x]
  (instance? Symbol x))

;; ---- making ----------------------------------------------------------------------------------------------------

(defn- set-attributes [^Symbol sym attributes]
  (doseq [[k value] attributes]
    (native/call [sym] (MXSymbolSetAttr (native/address sym) (native/c-string k) (native/c-string value))
                 {:mxnet/name (graph/label sym)}))
  sym)

(defn- attribute-texts [attributes]
  (into {} (for [[k value] attributes]
             [(native/option-name k) (if (string? value) value (coerce/plain-text value))])))

(defn- variable-attributes [{:keys [attrs attr shape lr-mult wd-mult dtype init stype kwargs]}]
  (doseq [k (keys kwargs)]
    (when-not (re-matches #"__.+__" (native/option-name k))
      (error/bad-argument (str "the attribute " k " of a variable must begin and end with two underscores")
                          {:mxnet/got k})))
  (cond-> (merge (attribute-texts (names/scope-attributes)) (attribute-texts attrs) (attribute-texts attr)
                 (attribute-texts kwargs))
    shape (assoc "__shape__" (coerce/tuple-text (shape/->shape shape)))
    lr-mult (assoc "__lr_mult__" (coerce/plain-text lr-mult))
    wd-mult (assoc "__wd_mult__" (coerce/plain-text wd-mult))
    dtype (assoc "__dtype__" (str (dtype/->flag dtype)))
    init (assoc "__init__" (str init))
    stype (assoc "__storage_type__" (case (native/option-name stype) "default" "0" "row_sparse" "1" "csr" "2"))))

(def ^:private variable-options #{:attrs :attr :shape :lr-mult :wd-mult :dtype :init :stype :kwargs})

(defn variable
  "An input of a computation. Options: `:shape`, `:dtype`, `:lr-mult`, `:wd-mult`, `:init`, `:stype`, `:attrs` (a map of
  attributes), `:kwargs` (attributes whose names begin and end with two underscores)."
  ([name] (variable name nil))
  ([name opts]
   (let [name (names/given-name name)
         out (native/long-out)]
     (when-let [bad (first (remove variable-options (keys opts)))]
       (error/bad-argument (str "variable " name ": unknown option " bad "."
                                (error/hint (str bad) (map str variable-options)))
                           {:mxnet/got bad}))
     (when (string/blank? name)
       (error/bad-argument "a variable needs a name that is not empty"))
     (let [attributes (variable-attributes opts)]
       (native/call [] (MXSymbolCreateVariable (native/c-string name) out))
       (set-attributes (native/wrap-symbol (aget out 0) name) attributes)))))

(defn group
  "A symbol whose outputs are those of the given symbols, in order."
  [symbols]
  (let [symbols (mapv native/symbol-object (if (symbol? symbols) [symbols] symbols))
        handles (native/addresses symbols)
        out (native/long-out)]
    (when (empty? symbols)
      (error/bad-argument "group needs at least one symbol"))
    (native/call [symbols] (MXSymbolCreateGroup (alength handles) handles out))
    (native/wrap-symbol (aget out 0) (string/join "," (map graph/label symbols)))))

(defn clone
  "A copy of the symbol and of all its nodes."
  [sym]
  (let [sym (native/symbol-object sym)
        out (native/long-out)]
    (native/call [sym] (MXSymbolCopy (native/address sym) out))
    (native/wrap-symbol (aget out 0) (graph/label sym))))

(defn apply
  "The symbol with variables replaced by other symbols: `(apply net \"composed\" {\"fc1_data\" x})`. The name may be
  left out."
  ([sym kwargs] (apply sym nil kwargs))
  ([sym name kwargs]
   (let [given (graph/by-name kwargs (graph/arguments sym) "input" false)
         symbols (mapv native/symbol-object (vals given))
         copy (clone sym)
         handles (native/addresses symbols)]
     (try
       (native/with-strings [ks (keys given)]
         (native/call [copy symbols]
                      (MXSymbolCompose (native/address copy)
                                       (if name (native/c-string (names/given-name name)) native/no-bytes)
                                       (alength handles) ks handles)
                      {:mxnet/name (graph/label sym)}))
       copy
       (catch Throwable failure
         (.close ^Symbol copy)
         (throw failure))))))

(defn- constant [op-name shape {:keys [ctx dtype name]} parameters]
  (op/symbol-from (registry/info op-name)
                  {:name name :inputs {} :list []
                   :parameters (into (cond-> {"shape" (coerce/tuple-text (shape/->shape shape))
                                              "dtype" (c/name (dtype/->dtype (or dtype :float32)))}
                                       ctx (assoc "ctx" (str ctx)))
                                     parameters)}))

(defn zeros
  "Zeros of a shape. Options: `:ctx`, `:dtype`, `:name`."
  ([shape] (zeros shape nil))
  ([shape opts] (constant "_zeros" shape opts nil)))

(defn ones
  "Ones of a shape. Options: `:ctx`, `:dtype`, `:name`."
  ([shape] (ones shape nil))
  ([shape opts] (constant "_ones" shape opts nil)))

(defn full
  "One value in a shape. Options: `:ctx`, `:dtype`, `:name`."
  ([shape value] (full shape value nil))
  ([shape value opts] (constant "_full" shape opts {"value" (coerce/number-text value)})))

(defn- range-symbol [parameters {:keys [step repeat dtype ctx]}]
  (op/internal-symbol "_arange" "_arange" []
                      (cond-> (into {"step" (coerce/plain-text (or step 1))
                                     "repeat" (coerce/plain-text (or repeat 1))
                                     "dtype" (c/name (dtype/->dtype (or dtype :float32)))}
                                    parameters)
                        ctx (assoc "ctx" (str ctx)))))

(defn arange
  "The numbers from start up to stop, without it. Options: `:step` (1), `:repeat` (1), `:dtype`, `:ctx`."
  ([start stop] (arange start stop nil))
  ([start stop opts]
   (range-symbol {"start" (coerce/plain-text start) "stop" (coerce/plain-text stop)} opts)))

(defn arange-with-inference
  "The numbers from start on, as many as the place they are used in needs. Options as [[arange]]."
  ([start] (arange-with-inference start nil))
  ([start opts]
   (range-symbol {"start" (coerce/plain-text start) "infer_range" "True"} opts)))

;; ---- arithmetic ------------------------------------------------------------------------------------------------

(defn- operand [x]
  (if (or (number? x) (symbol? x))
    x
    (error/bad-argument (str "expected a Symbol or a number, got " (error/describe x)) {:mxnet/got x})))

(defn- binary
  "A node for two symbols, symbol and number, or number and symbol. Each is given as operator and name hint."
  [{:keys [both right left numbers]} a b]
  (let [a (operand a)
        b (operand b)
        node (fn [[op-name hint] symbols scalar]
               (op/internal-symbol op-name hint symbols (if scalar {"scalar" (coerce/number-text scalar)} {})))]
    (cond
      (and (symbol? a) (symbol? b)) (node both [a b] nil)
      (symbol? a) (node right [a] b)
      (symbol? b) (node left [b] a)
      :else (numbers a b))))

(defn- truth [f] (fn [a b] (if (f a b) 1.0 0.0)))

(defmacro ^:private def-binary [fn-name doc operators & [fold?]]
  `(defn ~fn-name
     ~doc
     ([~'a ~'b] (binary ~operators ~'a ~'b))
     ~@(when fold? [`([~'a ~'b & ~'more] (reduce ~fn-name (~fn-name ~'a ~'b) ~'more))])))

(defn- comparison [op flipped f]
  {:both [op op]
   :right [(str op "_scalar") (str op "_scalar")]
   :left [(str flipped "_scalar") (str flipped "_scalar")]
   :numbers (truth f)})

(def-binary + "The sum of symbols and numbers, element by element."
  {:both ["elemwise_add" "_plus"] :right ["_plus_scalar" "_plusscalar"] :left ["_plus_scalar" "_plusscalar"]
   :numbers c/+'} true)
(def-binary * "The product of symbols and numbers, element by element."
  {:both ["elemwise_mul" "_mul"] :right ["_mul_scalar" "_mulscalar"] :left ["_mul_scalar" "_mulscalar"]
   :numbers c/*'} true)
(def-binary div "The quotient of symbols and numbers, element by element."
  {:both ["elemwise_div" "_div"] :right ["_div_scalar" "_divscalar"] :left ["_rdiv_scalar" "_rdivscalar"]
   :numbers c//} true)
(def-binary % "The remainder of a division, with the sign of the divisor."
  {:both ["_mod" "_mod"] :right ["_mod_scalar" "_modscalar"] :left ["_rmod_scalar" "_rmodscalar"] :numbers mod})

(def ^:private powers
  {:both ["_power" "_power"] :right ["_power_scalar" "_power_scalar"] :left ["_rpower_scalar" "_rpower_scalar"]
   :numbers #(Math/pow (double %1) (double %2))})
(def-binary ** "The first to the power of the second." powers)
(def-binary pow "The first to the power of the second." powers)
(def-binary power "The first to the power of the second." powers)

(def-binary maximum "The greater elements of the two."
  {:both ["_maximum" "_maximum"] :right ["_maximum_scalar" "_maximumscalar"]
   :left ["_maximum_scalar" "_maximumscalar"] :numbers c/max})
(def-binary minimum "The lesser elements of the two."
  {:both ["_minimum" "_minimum"] :right ["_minimum_scalar" "_minimumscalar"]
   :left ["_minimum_scalar" "_minimumscalar"] :numbers c/min})
(def-binary hypot "The root of the sum of the squares of the two."
  {:both ["_hypot" "_hypot"] :right ["_hypot_scalar" "_hypotscalar"] :left ["_hypot_scalar" "_hypotscalar"]
   :numbers #(Math/hypot (double %1) (double %2))})

(def-binary equal "1 where the two are equal, else 0." (comparison "_equal" "_equal" c/==))
(def-binary not-equal "1 where the two differ, else 0." (comparison "_not_equal" "_not_equal" c/not=))
(def-binary > "1 where the first is greater, else 0." (comparison "_greater" "_lesser" c/>))
(def-binary >= "1 where the first is greater or equal, else 0."
  (comparison "_greater_equal" "_lesser_equal" c/>=))
(def-binary < "1 where the first is less, else 0." (comparison "_lesser" "_greater" c/<))
(def-binary <= "1 where the first is less or equal, else 0."
  (comparison "_lesser_equal" "_greater_equal" c/<=))
(def-binary greater "1 where the first is greater, else 0." (comparison "_greater" "_lesser" c/>))
(def-binary greater-equal "1 where the first is greater or equal, else 0."
  (comparison "_greater_equal" "_lesser_equal" c/>=))
(def-binary lesser "1 where the first is less, else 0." (comparison "_lesser" "_greater" c/<))
(def-binary lesser-equal "1 where the first is less or equal, else 0."
  (comparison "_lesser_equal" "_greater_equal" c/<=))

(def ^:private minus
  {:both ["elemwise_sub" "_minus"] :right ["_minus_scalar" "_minusscalar"] :left ["_rminus_scalar" "_rminusscalar"]
   :numbers c/-'})

(defn -
  "The first less the others, element by element; the negative of one symbol."
  ([a] (if (number? (operand a)) (binary minus 0 a) (* a -1.0)))
  ([a b] (binary minus a b))
  ([a b & more] (reduce - (- a b) more)))

(defn /
  "The same as [[div]]."
  ([a b] (div a b))
  ([a b & more] (c/apply div a b more)))

(def ^:private max-op (op/symbol-op "max"))
(def ^:private min-op (op/symbol-op "min"))

(defn max
  "`[a b]` of two symbols: the greater elements. Else the operator `max`: the greatest elements along axes."
  ([x] (max-op x))
  ([a b] (if (and (symbol? a) (or (symbol? b) (number? b))) (maximum a b) (max-op a b)))
  ([name attributes kwargs] (max-op name attributes kwargs))
  ([name attributes symbols kwargs] (max-op name attributes symbols kwargs)))

(defn min
  "`[a b]` of two symbols: the lesser elements. Else the operator `min`: the least elements along axes."
  ([x] (min-op x))
  ([a b] (if (and (symbol? a) (or (symbol? b) (number? b))) (minimum a b) (min-op a b)))
  ([name attributes kwargs] (min-op name attributes kwargs))
  ([name attributes symbols kwargs] (min-op name attributes symbols kwargs)))

;; ---- looking ---------------------------------------------------------------------------------------------------

(defn name
  "The name of the head node; nil for a group."
  [sym]
  (graph/symbol-name sym))

(defn list-arguments
  "The names of the arguments, in order."
  [sym]
  (graph/arguments sym))

(defn list-outputs
  "The names of the outputs, in order."
  [sym]
  (graph/outputs sym))

(defn list-auxiliary-states
  "The names of the auxiliary states, which operators update as they run."
  [sym]
  (graph/auxiliary-states sym))

(defn list-inputs
  "The names of arguments and auxiliary states, in the order of the graph."
  [sym]
  (let [sym (native/symbol-object sym)
        n (native/int-out)
        out (native/long-out)]
    (native/call [sym] (NNSymbolListInputNames (native/address sym) 0 n out))
    (native/strings-at (aget out 0) (aget n 0))))

(defn attr
  "The text of an attribute of the head node, nil if it has none."
  [sym key]
  (let [sym (native/symbol-object sym)
        out (native/long-out)
        found (native/int-out)]
    (native/call [sym] (MXSymbolGetAttr (native/address sym) (native/c-string (native/option-name key)) out found))
    (when-not (zero? (aget found 0))
      (CStrings/decode (aget out 0)))))

(defn list-attr
  "The attributes of the head node, a map of texts."
  [sym]
  (let [sym (native/symbol-object sym)
        n (native/int-out)
        out (native/long-out)]
    (native/call [sym] (MXSymbolListAttrShallow (native/address sym) n out))
    (graph/pairs out n)))

(defn attr-map
  "The attributes of all nodes that have any: a map from node name to a map of texts."
  [sym]
  (graph/attributes sym))

(defn set-attr
  "Set attributes of the head node. Returns the symbol."
  [sym attributes]
  (set-attributes (native/symbol-object sym) (attribute-texts attributes)))

(defn num-outputs
  "The number of outputs."
  [sym]
  (let [sym (native/symbol-object sym)
        out (native/int-out)]
    (native/call [sym] (MXSymbolGetNumOutputs (native/address sym) out))
    (long (aget out 0))))

(defn get
  "One output of a symbol, by number or name."
  [sym index-or-name]
  (let [sym (native/symbol-object sym)
        outputs (graph/outputs sym)
        index (cond
                (integer? index-or-name) index-or-name
                (or (string? index-or-name) (keyword? index-or-name))
                (let [wanted (c/name index-or-name)
                      places (keep-indexed (fn [i n] (when (= n wanted) i)) outputs)]
                  (case (count places)
                    1 (first places)
                    0 (error/bad-argument (str "there is no output named " wanted "." (error/hint wanted outputs))
                                          {:mxnet/name wanted :mxnet/candidates outputs})
                    (error/bad-argument (str "several outputs are named " wanted) {:mxnet/name wanted})))
                :else (error/bad-argument (str "an output is told by number or name, got "
                                               (error/describe index-or-name))
                                          {:mxnet/got index-or-name}))
        out (native/long-out)]
    (when-not (c/< -1 (long index) (count outputs))
      (error/bad-argument (str "there is no output " index "; the symbol has " (count outputs))
                          {:mxnet/got index}))
    (native/call [sym] (MXSymbolGetOutput (native/address sym) (int index) out))
    (native/wrap-symbol (aget out 0) (nth outputs index))))

(defn get-internals
  "A symbol whose outputs are those of all nodes, in order. `(get (get-internals net) \"fc1_output\")` is a part of
  the net."
  [sym]
  (let [sym (native/symbol-object sym)
        out (native/long-out)]
    (native/call [sym] (MXSymbolGetInternals (native/address sym) out))
    (native/wrap-symbol (aget out 0) "internals")))

(defn get-children
  "A symbol whose outputs are the inputs of the head node, nil for a variable."
  [sym]
  (let [^Symbol sym (native/symbol-object sym)
        out (native/long-out)]
    (native/call [sym] (MXSymbolGetChildren (native/address sym) out))
    (when-not (zero? (aget out 0))
      (let [^Symbol children (native/wrap-symbol (aget out 0) (str "children of " (graph/label sym)))]
        (if (zero? (long (num-outputs children)))
          (.close children)
          children)))))

(defn children
  "The same as [[get-children]]."
  [sym]
  (get-children sym))

(defn debug-str
  "A text that lists the nodes."
  [sym]
  (let [sym (native/symbol-object sym)
        out (native/long-out)]
    (native/call [sym] (MXSymbolPrint (native/address sym) out))
    (CStrings/decode (aget out 0))))

;; ---- inference -------------------------------------------------------------------------------------------------

(defn- infer [sym shapes partial?]
  (if (map? shapes)
    (let [given (graph/by-name shapes (into (graph/arguments sym) (graph/auxiliary-states sym)) "argument")
          {:keys [index-pointer data]} (graph/pack-shapes (vals given))]
      (graph/infer-shapes sym (vec (keys given)) index-pointer data partial?))
    (let [names (graph/arguments sym)
          shapes (if (sequential? shapes)
                   shapes
                   (error/bad-argument (str "expected shapes as a map or a sequence, got " (error/describe shapes))
                                       {:mxnet/got shapes}))]
      (when (c/> (count shapes) (count names))
        (error/bad-argument (str "got " (count shapes) " shapes for " (count names) " arguments: " names)))
      (recur sym (into {} (remove (comp nil? second)) (map vector names shapes)) partial?))))

(defn infer-shape
  "The shapes of arguments, outputs and auxiliary states, `[[..] [..] [..]]`, from those of some arguments, given as a
  map by name or a sequence in order. nil when they cannot all be told."
  ([sym shapes] (infer sym shapes false))
  ([sym names index-pointer data]
   (graph/infer-shapes sym (mapv names/given-name names) index-pointer data false)))

(defn infer-shape-partial
  "As [[infer-shape]], with `[]` and zeros for what cannot be told."
  [sym shapes]
  (infer sym shapes true))

(defn infer-type
  "The dtypes of arguments, outputs and auxiliary states, `[[..] [..] [..]]`, from those of some arguments by name. nil
  when they cannot all be told."
  [sym types]
  (graph/infer-types sym (graph/by-name types (graph/arguments sym) "argument")))

;; ---- running ---------------------------------------------------------------------------------------------------

(defn bind
  "An executor over arrays. `args`, `grads` (where to put gradients) and `aux` (auxiliary states) are maps by name or
  sequences in the order of `list-arguments`; `grad-req` is `:write`, `:add` or `:null`, for all, in a sequence, or in a
  map by name. Without a context the default one, see `mxnet.context`. Options: `:group2ctx`, `:shared-exec`."
  ([sym args] (bind sym (context/default-context) args))
  ([sym ctx args] (bind sym ctx args nil))
  ([sym ctx args grads] (bind sym ctx args grads "write" nil))
  ([sym ctx args grads grad-req] (bind sym ctx args grads grad-req nil))
  ([sym ctx args grads grad-req aux] (bind sym ctx args grads grad-req aux nil))
  ([sym ctx args grads grad-req aux opts] (bind/bind sym ctx args grads grad-req aux opts)))

(defn simple-bind
  "An executor over new arrays. `shapes` maps names of arguments to shapes; the others follow from them. Options:
  `:grad-req` (`:write`; also a sequence, or a map by name), `:type-map` (dtypes by name), `:group2ctx`, `:shared-exec`."
  ([sym ctx] (if (map? ctx)
               (if (context/context? ctx) (simple-bind sym ctx {}) (simple-bind sym (context/default-context) ctx))
               (simple-bind sym ctx {})))
  ([sym ctx shapes] (simple-bind sym ctx shapes nil))
  ([sym ctx shapes opts]
   (when-let [bad (first (remove #{:grad-req :type-map :group2ctx :shared-exec} (keys opts)))]
     (error/bad-argument (str "simple-bind: unknown option " bad "."
                              (error/hint (str bad) [":grad-req" ":type-map" ":group2ctx" ":shared-exec"]))
                         {:mxnet/got bad}))
   (bind/simple-bind sym ctx shapes (into {} (remove (comp nil? val)) opts))))

;; ---- handles ---------------------------------------------------------------------------------------------------

(defn handle
  "The number of the symbol in the C API. The symbol must outlive its use."
  [sym]
  (native/address (native/symbol-object sym)))

(defn from-handle
  "A copy of the symbol of a handle (a number) of the same loaded library; see `mxnet.lib/instance-id`. The handle stays
  its owner's."
  [handle]
  (when-not (pos-int? handle)
    (error/bad-argument (str "a handle is a positive number, got " (error/describe handle)) {:mxnet/got handle}))
  (let [out (native/long-out)]
    (native/call [] (MXSymbolCopy (long handle) out))
    (graph/wrap-named (aget out 0))))

;; ---- files -----------------------------------------------------------------------------------------------------

(defn to-json
  "The graph as JSON, as `save` writes it."
  [sym]
  (let [sym (native/symbol-object sym)
        out (native/long-out)]
    (native/call [sym] (MXSymbolSaveToJSON (native/address sym) out))
    (CStrings/decode (aget out 0))))

(defn load-json
  "The symbol of a JSON text."
  [text]
  (let [out (native/long-out)]
    (native/call [] (MXSymbolCreateFromJSON (native/c-string text) out))
    (graph/wrap-named (aget out 0))))

(defn save
  "Write the graph to a file as JSON, without casts that mixed precision added."
  [sym file-name]
  (let [sym (native/symbol-object sym)
        out (native/long-out)]
    (native/call [sym] (MXSymbolRemoveAmpCast (native/address sym) out))
    (with-open [^Symbol plain (native/wrap-symbol (aget out 0) nil)]
      (native/call [plain] (MXSymbolSaveToFile (native/address plain) (native/c-string (str file-name)))
                   {:mxnet/file (str file-name)}))))

(defn load
  "The symbol of a JSON file."
  [file-name]
  (let [out (native/long-out)]
    (native/call [] (MXSymbolCreateFromFile (native/c-string (str file-name)) out) {:mxnet/file (str file-name)})
    (graph/wrap-named (aget out 0))))

(defn- checkpoint-files [prefix epoch]
  [(str prefix "-symbol.json") (format "%s-%04d.params" prefix (long epoch))])

(defn save-checkpoint
  "Write PREFIX-symbol.json and PREFIX-EPOCH.params (the epoch in four digits)."
  [prefix epoch sym arg-params aux-params]
  (let [[symbol-file params-file] (checkpoint-files prefix epoch)
        prefixed (fn [kind params] (map (fn [[k v]] [(str kind ":" (names/given-name k)) v]) params))]
    (when sym (save sym symbol-file))
    (ndarray/save params-file (into {} (c/concat (prefixed "arg" arg-params) (prefixed "aux" aux-params))))))

(defn load-checkpoint
  "What `save-checkpoint` wrote: `{:symbol .. :arg-params .. :aux-params ..}`."
  [prefix epoch]
  (let [[symbol-file params-file] (checkpoint-files prefix epoch)
        by-kind (fn [params kind]
                  (into {} (for [[k v] params
                                 :let [[k-kind k-name] (string/split k #":" 2)]
                                 :when (= kind k-kind)]
                             [k-name v])))
        params (ndarray/load2-map params-file)]
    {:symbol (load symbol-file)
     :arg-params (by-kind params "arg")
     :aux-params (by-kind params "aux")}))

;; ---- scopes of names and attributes ----------------------------------------------------------------------------

(defmacro with-new-names
  "Evaluate the body with automatic names that count from 0 again."
  [& body]
  `(binding [names/*counters* (names/new-counters)] ~@body))

(defmacro with-prefix
  "Evaluate the body with a text put before the names of operators."
  [prefix & body]
  `(binding [names/*prefix* ~prefix] ~@body))

(defmacro with-attributes
  "Evaluate the body with attributes, a map, added to every node."
  [attributes & body]
  `(binding [names/*attributes* (merge names/*attributes* ~attributes)] ~@body))

;; ---- releasing, printing ---------------------------------------------------------------------------------------

(defn dispose
  "Release the symbol now."
  [sym]
  (.close (native/symbol-object sym)))

(defn is-disposed
  "Whether the symbol has been released."
  [sym]
  (.isClosed (native/symbol-object sym)))

(defmethod print-method Symbol [^Symbol sym ^Writer out]
  (.write out (str "#mxnet/symbol "
                   (if (.isClosed sym)
                     (str (graph/label sym) " closed")
                     (let [outputs (graph/outputs sym)]
                       (or (when-not (next outputs) (graph/symbol-name sym))
                           (str "[" (string/join " " (c/take 5 outputs)) (when (c/> (count outputs) 5) " ...") "]")))))))

(def operator
  "The function of any registered operator, by its name: `((sym/operator \"_plus_scalar\") \"p\" {:data x :scalar 1})`."
  op/symbol-op)

(c/load "symbol_ops")
