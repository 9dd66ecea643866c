(ns ^:no-doc mxnet.impl.op
  "Operators as functions: what a call means, and its execution as a symbol or on arrays."
  (:require [clojure.string :as string]
            [mxnet.impl.coerce :as coerce]
            [mxnet.impl.error :as error]
            [mxnet.impl.names :as names]
            [mxnet.impl.native :as native]
            [mxnet.impl.registry :as registry])
  (:import (mxnet CStrings LibMXNet NDArray Symbol)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn- node? [x] (instance? Symbol x))
(defn- array? [x] (instance? NDArray x))
(defn- hidden? [^String k] (and (> (.length k) 4) (string/starts-with? k "__") (string/ends-with? k "__")))

;; Keys that every node may carry; the library stores them with underscores round them.
(def ^:private common-attributes #{"ctx_group" "lr_mult" "wd_mult" "force_mirroring" "mirror_stage"})

(defn- unknown-key [{:keys [name inputs parameter-order]} key]
  (let [known (concat inputs parameter-order)]
    (error/bad-argument
     (str name ": unknown argument " (pr-str key) "." (error/hint key (map #(str (keyword (registry/kebab %))) known))
          " It takes " (string/join ", " (map #(str (keyword (registry/kebab %))) known)))
     {:mxnet/op name :mxnet/got key})))

(defn- find-key
  "The declared spelling of a key: `:num-hidden`, `:num_hidden` and \"num_hidden\" are the same."
  [info key]
  (let [text (native/option-name key)
        {:keys [input-set parameters open?]} info]
    (cond
      (or (contains? parameters text) (contains? input-set text)) text
      (or open? (hidden? text) (common-attributes text)) text
      ;; Names with capital letters: N, M, K.
      :else (or (first (filter #(= (registry/kebab %) (string/replace text "_" "-"))
                               (concat (:parameter-order info) (:inputs info))))
                (unknown-key info text)))))

(def ^:private undeclared {:kind :any :optional-none? false})

(defn- parameter [info key value]
  (coerce/parameter-text (:name info) key (get (:parameters info) key undeclared) value))

(defn split-options
  "Sort the entries of an option map into `:name`, `:attr`, `:out`, `:inputs` (a map by declared name) and
  `:parameters` (a map of texts). `object?` tells inputs; `what` names them in errors."
  [info options object? what]
  (reduce-kv
   (fn [result key value]
     (let [text (native/option-name key)
           declared? (or (contains? (:parameters info) text) (contains? (:input-set info) text))]
       (cond
         (and (= text "name") (not declared?)) (assoc result :name value)
         (and (= text "attr") (not declared?)) (assoc result :attr value)
         (and (= text "out") (not declared?)) (assoc result :out value)
         :else
         (let [k (find-key info key)]
           (cond
             (object? value) (update result :inputs assoc k value)

             (and (sequential? value) (seq value) (some object? value))
             (if (every? object? value)
               (if (or (:key-var info) (= 1 (count (:inputs info))))
                 (update result :list into value)
                 (error/bad-argument (str (:name info) ": " k " takes one " what ", got " (count value))
                                     {:mxnet/op (:name info) :mxnet/got value}))
               (error/bad-argument (str (:name info) ": " k " mixes " what "s with other values")
                                   {:mxnet/op (:name info) :mxnet/got value}))

             (contains? (:input-set info) k)
             (if (nil? value)
               result
               (error/bad-argument (str (:name info) ": " k " must be a " what ", got " (error/describe value))
                                   {:mxnet/op (:name info) :mxnet/got value}))

             :else (if-some [text (parameter info k value)]
                     (update result :parameters assoc k text)
                     result))))))
   {:inputs {} :parameters {} :list []}
   options))

(defn- positional-parameters
  "Texts of parameters given by position."
  [info values n-inputs]
  (let [{:keys [parameter-order key-var]} info
        ;; The number of inputs need not be said, but may be.
        order (if (and key-var (not= (count values) (count parameter-order)))
                (filterv #(not= key-var %) parameter-order)
                parameter-order)]
    (when (> (count values) (count order))
      (error/bad-argument (str (:name info) ": got " (count values) " parameters by position, takes at most "
                               (count order) ": " (string/join ", " (map registry/kebab order)))
                          {:mxnet/op (:name info) :mxnet/got (vec values) :mxnet/inputs n-inputs}))
    (loop [values (seq values)
           order (seq order)
           texts {}]
      (if values
        (let [k (first order)
              text (parameter info k (first values))]
          (recur (next values) (next order) (if (some? text) (assoc texts k text) texts)))
        texts))))

(defn- take-inputs
  "The inputs at the front of the arguments, those of vectors one by one, and the other arguments."
  [arguments object?]
  (loop [inputs []
         more (seq arguments)]
    (let [x (first more)]
      (cond
        (nil? more) [inputs nil]
        (object? x) (recur (conj inputs x) (next more))
        (and (sequential? x) (seq x) (every? object? x)) (recur (into inputs x) (next more))
        :else [inputs more]))))

(defn- split-positional
  "A call by position: first the inputs, or vectors of them, then parameters, then maybe a map of options."
  [info arguments object? what]
  (let [[inputs others] (take-inputs arguments object?)
        end (last others)
        options (when (and (map? end) (not (record? end))) end)
        others (if options (butlast others) others)
        parsed (if options (split-options info options object? what) {:inputs {} :parameters {} :list []})]
    (when-let [bad (first (filter object? others))]
      (error/bad-argument (str (:name info) ": " what "s come before parameters, got " (error/describe bad))
                          {:mxnet/op (:name info)}))
    (cond-> parsed
      others (update :parameters #(merge (positional-parameters info others (count inputs)) %))
      (seq inputs) (update :list #(into inputs %)))))

(defn- ordered-inputs
  "All inputs in declared order: those of the list, then those given by name."
  [info {:keys [inputs list]}]
  (let [taken (set (take (count list) (:inputs info)))]
    (when-let [twice (and (not (:key-var info)) (some taken (keys inputs)))]
      (error/bad-argument (str (:name info) ": " twice " is given by position and by name") {:mxnet/op (:name info)}))
    (into (vec list) (keep #(get inputs %)) (:inputs info))))

(defn- with-count [info parameters ^long n]
  (let [{:keys [key-var]} info]
    (if (and key-var (not (contains? parameters key-var)))
      (assoc parameters key-var (str n))
      parameters)))

;; ---- symbols ---------------------------------------------------------------------------------------------------

(defn- attribute-texts [attributes]
  (into {} (for [[k value] attributes]
             [(native/option-name k) (if (string? value) value (coerce/plain-text value))])))

(defn- error-data [info node parameters]
  {:mxnet/op (:name info) :mxnet/name node :mxnet/args parameters})

(defn- atomic-symbol ^long [info node parameters]
  (let [out (native/long-out)]
    (native/with-strings [ks (keys parameters) vs (vals parameters)]
      (native/call [] (MXSymbolCreateAtomicSymbol (long (:creator info)) (alength ks) ks vs out)
                   (error-data info node parameters)))
    (aget out 0)))

(defn compose
  "Make a node of an operator. `positional` is a sequence of symbols, `named` a map of them."
  ^Symbol [info node attributes positional named parameters]
  (let [attributes (attribute-texts (merge (names/scope-attributes) attributes))
        parameters (with-count info parameters (+ (count positional) (count named)))
        symbols (concat positional (vals named))
        handle (atomic-symbol info node (merge attributes parameters))
        ^Symbol result (native/wrap-symbol handle node)
        inputs (vec symbols)
        arguments (native/addresses inputs)]
    (try
      (if (seq positional)
        (native/call [result inputs]
                     (MXSymbolCompose (native/address result) (native/c-string node) (alength arguments)
                                      native/no-longs arguments)
                     (error-data info node parameters))
        (native/with-strings [ks (keys named)]
          (native/call [result inputs]
                       (MXSymbolCompose (native/address result) (native/c-string node) (alength arguments) ks arguments)
                       (error-data info node parameters))))
      result
      (catch Throwable failure
        (.close result)
        (throw failure)))))

(defn- check-symbols [info x]
  (let [symbols (if (sequential? x) x [x])]
    (doseq [s symbols]
      (when-not (node? s)
        (error/bad-argument (str (:name info) ": expected a Symbol, got " (error/describe s))
                            {:mxnet/op (:name info) :mxnet/got s})))
    symbols))

(defn- positional-key [info i]
  (or (get (:inputs info) i)
      (error/bad-argument (str (:name info) ": takes at most " (count (:inputs info)) " inputs")
                          {:mxnet/op (:name info)})))

(defn- new-name [info given]
  (names/node-name given (string/lower-case (:name info))))

(defn symbol-from
  "The node of parsed options."
  [info {:keys [name attr inputs list parameters out]}]
  (when out
    (error/bad-argument (str (:name info) ": :out is for arrays, not for symbols") {:mxnet/op (:name info)}))
  (cond
    (empty? inputs) (compose info (new-name info name) attr list {} parameters)
    (empty? list) (compose info (new-name info name) attr [] inputs parameters)
    (:key-var info)
    (error/bad-argument (str (:name info) ": symbols are given in a list and in the map; use one of them")
                        {:mxnet/op (:name info)})
    :else
    (let [by-position (into {} (map-indexed (fn [i s] [(positional-key info i) s])) list)]
      (when-let [twice (some (set (keys by-position)) (keys inputs))]
        (error/bad-argument (str (:name info) ": " twice " is given by position and by name")
                            {:mxnet/op (:name info)}))
      (compose info (new-name info name) attr [] (merge by-position inputs) parameters))))

(defn- symbol-options [info options]
  (split-options info options node? "Symbol"))

(defn- node-name? [x]
  (or (nil? x) (string? x) (keyword? x) (symbol? x)))

(defn symbol-op
  "The function that makes nodes of an operator. It is called as
  `(f options)`, `(f symbol)`, `(f [symbols])`, `(f name ...)` with any of them, `(f name attributes options)`,
  `(f name attributes [symbols] options)`, or by position: `(f symbol ... parameter ... options?)`."
  [op-name]
  (letfn [(one [info node x]
            (cond
              (map? x) (let [options (symbol-options info x)]
                         (symbol-from info (if (some? node) (assoc options :name node) options)))
              (number? x) (symbol-from info {:name node :inputs {} :list []
                                             :parameters (positional-parameters info [x] 0)})
              :else (symbol-from info {:name node :list (check-symbols info x) :inputs {} :parameters {}})))]
    (fn
      ([] (one (registry/info op-name) nil {}))
      ([x] (let [info (registry/info op-name)]
             (if (node-name? x)
               (one info x {})
               (one info nil x))))
      ([a b & more]
       (let [info (registry/info op-name)]
         (if (and (node-name? a) (<= (count more) 2))
           (case (count more)
             0 (one info a b)
             1 (let [options (first more)]
                 (if (or (nil? b) (map? b))
                   (let [parsed (symbol-options info (or options {}))]
                     (symbol-from info (assoc parsed :name a :attr (merge (:attr parsed) b))))
                   (let [parsed (symbol-options info (or options {}))]
                     (symbol-from info (-> parsed
                                           (assoc :name a)
                                           (update :list #(into (vec (check-symbols info b)) %)))))))
             2 (let [[symbols options] more
                     parsed (symbol-options info (or options {}))]
                 (symbol-from info (-> parsed
                                       (assoc :name a :attr (merge (:attr parsed) b))
                                       (update :list #(into (vec (check-symbols info (or symbols []))) %))))))
           (symbol-from info (split-positional info (list* a b more) node? "Symbol"))))))))

(defn internal-symbol
  "A node of an operator that users do not name, with a hint for its automatic name."
  ^Symbol [op-name hint symbols parameters]
  (compose (registry/info op-name) (names/node-name nil hint) nil symbols {} parameters))

;; ---- arrays ----------------------------------------------------------------------------------------------------

(defn- array-shapes [arrays]
  (mapv (fn [a]
          (let [n (native/int-out)
                dims (native/long-out)]
            (if (zero? (LibMXNet/MXNDArrayGetShapeEx64 (native/address a) n dims))
              (vec (CStrings/longs (aget dims 0) (aget n 0)))
              :unknown)))
        arrays))


(defn- account-output [^NDArray array]
  (when (native/accounts-all?)
    (let [[shape] (array-shapes [array])]
      (when (vector? shape)
        (native/account array (* 4 (long (reduce * 1 shape)))))))
  array)

(defn invoke
  "Run an operator on arrays: the output, or a vector of outputs. `out` is an array or several to write into."
  [info inputs parameters out]
  (let [inputs (vec inputs)
        parameters (with-count info parameters (count inputs))
        targets (cond (nil? out) nil
                      (array? out) [out]
                      (and (sequential? out) (every? array? out)) (vec out)
                      :else (error/bad-argument (str (:name info) ": :out must be an NDArray, got " (error/describe out))
                                                {:mxnet/op (:name info) :mxnet/got out}))
        handles (native/addresses inputs)
        target-handles (native/addresses targets)
        n (native/int-out)
        outputs (native/long-out)
        invoke-into (fn [^long memory]
                      (aset n 0 (count targets))
                      (aset outputs 0 memory)
                      (native/with-strings [ks (keys parameters) vs (vals parameters)]
                        (native/call [inputs targets]
                                     (MXImperativeInvoke (long (:creator info)) (alength handles) handles n outputs
                                                         (alength ks) ks vs)
                                     {:mxnet/op (:name info)
                                      :mxnet/args parameters
                                      :mxnet/shapes (array-shapes inputs)})))]
    (if targets
      (with-open [memory (com.sun.jna.Memory. (* 8 (max 1 (count targets))))]
        (.write memory 0 target-handles 0 (alength target-handles))
        (invoke-into (com.sun.jna.Pointer/nativeValue memory))
        out)
      (do
        (invoke-into 0)
        (let [results (CStrings/longs (aget outputs 0) (aget n 0))
              sources (mapv native/weak inputs)
              wrap (fn [^long handle]
                     (let [^NDArray array (native/wrap-array handle)]
                       (.sources array sources)
                       (account-output array)))]
          (if (= 1 (alength results))
            (wrap (aget results 0))
            (mapv wrap results)))))))

(defn array-op
  "The function that runs an operator on arrays. It is called by position,
  `(f array ... parameter ... options?)`, or with a map: `(f {:data array :axis 1 :out target})`."
  [op-name]
  (fn [& arguments]
    (let [info (registry/info op-name)
          parsed (split-positional info arguments array? "NDArray")]
      (when (or (:name parsed) (:attr parsed))
        (error/bad-argument (str op-name ": :name and :attr are for symbols, not for arrays") {:mxnet/op op-name}))
      (invoke info (ordered-inputs info parsed) (:parameters parsed) (:out parsed)))))

(defn invoke-internal
  "Run an operator by its registered name on arrays with parameters as texts."
  ([op-name inputs parameters] (invoke (registry/info op-name) inputs parameters nil))
  ([op-name inputs parameters out] (invoke (registry/info op-name) inputs parameters out)))
