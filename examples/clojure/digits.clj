;; Evaluate the network that examples/python/digits.py trained.
;;
;; usage: ./dev clj examples/clojure/digits.clj FOLDER
;; Reads digits-symbol.json and digits-0000.params in FOLDER, writes clojure.csv there.
(ns digits
  (:require [clojure.java.io :as io]
            [clojure.string :as string]
            [mxnet.context :as context]
            [mxnet.executor :as executor]
            [mxnet.ndarray :as ndarray]
            [mxnet.symbol :as sym]))

(def data-file (io/file "examples" "data" "digits.csv"))

(defn read-test-images
  "Every fifth line of the data: a vector of [pixels label], pixels from 0 to 1."
  [file]
  (with-open [reader (io/reader file)]
    (->> (line-seq reader)
         (map #(mapv parse-long (string/split % #",")))
         (keep-indexed (fn [i row] (when (= 4 (mod i 5)) row)))
         (mapv (fn [row] [(mapv #(/ (double %) 16.0) (pop row)) (peek row)])))))

(defn load-parameters
  "The arrays of a .params file as [arguments states], each a map from name to NDArray."
  [path]
  (reduce-kv (fn [[arguments states] key array]
               (let [[kind name] (string/split key #":" 2)]
                 (case kind
                   "arg" [(assoc arguments name array) states]
                   "aux" [arguments (assoc states name array)])))
             [{} {}]
             (ndarray/load path)))

(defn arg-max [row]
  (first (apply max-key second (reverse (map-indexed vector row)))))

(defn -main [folder]
  (let [images (read-test-images data-file)
        labels (mapv second images)
        shape [(count images) 1 8 8]
        network (sym/load (str (io/file folder "digits-symbol.json")))
        [arguments states] (load-parameters (str (io/file folder "digits-0000.params")))
        bound (sym/simple-bind network (context/cpu) {"data" shape} {:grad-req "null"})
        _ (executor/copy-params-from bound arguments states)
        data (ndarray/array (into [] (mapcat first) images) shape)
        rows (-> bound
                 (executor/forward false {"data" data})
                 (executor/outputs)
                 (first)
                 (ndarray/->nd-vec))
        predictions (mapv arg-max rows)
        right (count (filter true? (map = predictions labels)))]
    (with-open [out (io/writer (io/file folder "clojure.csv"))]
      (doseq [row rows]
        (.write out (str (string/join "," row) "\n"))))
    (println (format "test accuracy %.4f" (/ (double right) (count labels))))
    (println "first ten predictions" (string/join " " (take 10 predictions)))))

(apply -main *command-line-args*)
