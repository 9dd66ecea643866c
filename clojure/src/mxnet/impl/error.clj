(ns ^:no-doc mxnet.impl.error
  "How errors look: `ex-info` whose data has `:mxnet/error` (`:native`, `:argument`, `:closed` or `:library`)."
  (:require [clojure.string :as string]))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn fail
  "Throw an `ex-info` of a kind with further data."
  ([kind message] (fail kind message nil))
  ([kind message data] (fail kind message data nil))
  ([kind message data cause]
   (throw (ex-info message (into {:mxnet/error kind} data) cause))))

(defn bad-argument
  "Throw an error about what the caller passed."
  ([message] (fail :argument message))
  ([message data] (fail :argument message data)))

(defn describe
  "A value in an error message: its class and a short text."
  [x]
  (if (nil? x)
    "nil"
    (let [text (binding [*print-length* 8 *print-level* 3] (pr-str x))
          text (if (> (count text) 80) (str (subs text 0 77) "...") text)]
      (str text " (" (.getName (class x)) ")"))))

(defn- edit-distance ^long [^String a ^String b]
  (let [width (inc (.length b))
        row (int-array width)]
    (dotimes [j width] (aset row j j))
    (dotimes [i (.length a)]
      (loop [j 1
             diagonal (long (aget row 0))]
        (when (= j 1) (aset row 0 (inc i)))
        (when (< j width)
          (let [above (long (aget row j))
                same (= (.charAt a i) (.charAt b (dec j)))
                cost (min (inc above)
                          (inc (long (aget row (dec j))))
                          (if same diagonal (inc diagonal)))]
            (aset row j (int cost))
            (recur (inc j) above)))))
    (long (aget row (dec width)))))

(defn nearest
  "The candidate that is most like the given text, or nil when none is."
  [^String text candidates]
  (let [plain #(string/replace (string/lower-case %) #"[-_]" "")
        wanted (plain text)
        limit (max 2 (quot (count wanted) 2))
        ranked (sort-by first (map (fn [candidate] [(edit-distance wanted (plain candidate)) candidate]) candidates))]
    (when-let [[distance candidate] (first ranked)]
      (when (<= (long distance) limit) candidate))))

(defn hint
  "\" Did you mean x?\" or an empty text."
  [text candidates]
  (if-let [candidate (nearest text candidates)] (str " Did you mean " candidate "?") ""))
