(ns mxnet.document-test
  "The code blocks of the document \"How to Compose Symbols\", evaluated as written. symbol_document.txt holds them;
  a value after ;=> is what the document shows."
  (:require [clojure.java.io :as io]
            [clojure.string :as string]
            [clojure.test :refer [deftest is testing]]
            [mxnet.context :as context]
            [mxnet.executor :as executor]
            [mxnet.ndarray :as ndarray]
            [mxnet.symbol :as sym]
            [mxnet.test-util :as util])
  (:import (java.io PushbackReader StringReader)))

(defn- blocks []
  (string/split (slurp (io/resource "mxnet/symbol_document.txt")) #"\n;; ----\n"))

(defn- forms
  "The forms of a block with the text that the document shows for their value, or nil."
  [block]
  (let [marked (string/replace block #";=>[ ]*" " :shown ")
        ;; What cannot be read stands as text.
        marked (string/replace marked #"#object\[.*\]" (fn [text] (pr-str text)))
        in (PushbackReader. (StringReader. marked))
        all (doall (take-while #(not= % ::end) (repeatedly #(read {:eof ::end} in))))]
    (loop [[form shown? value :as all] all
           result []]
      (cond
        (empty? all) result
        (= shown? :shown) (recur (drop 3 all) (conj result [form (pr-str value) value]))
        :else (recur (rest all) (conj result [form nil nil]))))))

(defn- evaluate
  "Evaluate the blocks in a new namespace with the aliases that the document uses; the values of shown forms."
  [blocks]
  (let [namespace (create-ns (gensym "document"))]
    (binding [*ns* namespace
              *out* (java.io.StringWriter.)]
      (refer-clojure)
      (require '[mxnet.symbol :as sym] '[mxnet.ndarray :as ndarray] '[mxnet.executor :as executor]
               '[mxnet.context :as context])
      (try
        (doall (for [block blocks
                     [form text value] (forms block)
                     :let [result (eval form)]
                     :when text]
                 {:form form :shown text :shown-value value :printed (pr-str result) :result result}))
        (finally (remove-ns (ns-name namespace)))))))

(deftest blocks-show-what-the-document-shows
  (let [parts (blocks)
        shown (sym/with-new-names (evaluate (butlast parts)))]
    (is (= 8 (count parts)))
    (is (= 5 (count shown)))
    (doseq [{:keys [form shown shown-value printed result]} shown]
      (testing (pr-str form)
        (if (and (string? shown-value) (string/starts-with? shown-value "#object"))
          ;; The address of an object; here it prints by its name.
          (is (and (sym/symbol? result) (= "#mxnet/symbol out" printed)))
          (is (= shown printed)))))
    (.delete (io/file "symbol-c.json"))))

(deftest the-threaded-form-makes-the-same-network
  (let [threaded (as-> (sym/variable "data") data
                   (sym/fully-connected "fc1" {:data data :num-hidden 128})
                   (sym/activation "act1" {:data data :act-type "relu"})
                   (sym/fully-connected "fc2" {:data data :num-hidden 64})
                   (sym/softmax-output "out" {:data data}))]
    (is (= ["data" "fc1_weight" "fc1_bias" "fc2_weight" "fc2_bias" "out_label"] (sym/list-arguments threaded)))
    (is (= [[[2 10] [128 10] [128] [64 128] [64] [2]] [[2 64]] []] (sym/infer-shape threaded {:data [2 10]})))))

(deftest the-last-block-needs-a-gpu
  (let [[_ block] (split-at 7 (blocks))
        before (nth (blocks) 6)]
    (if (zero? (context/num-gpus))
      (testing "without one the error says what to use"
        (is (fails? #"no device gpu\(0\).*\(context/cpu\)" (evaluate (cons before block))))
        (testing "and on the processor the block gives the same as before"
          (let [on-cpu (string/replace (first block) "(context/gpu 0)" "(context/cpu)")
                run "(-> (executor/forward ex) (executor/outputs) (first) (ndarray/->vec)) ;=> [2.0 2.0 2.0 2.0]"]
            (is (= ["[2.0 2.0 2.0 2.0]" "[2.0 2.0 2.0 2.0]"] (map :printed (evaluate [before on-cpu run])))))))
      (is (every? some? (evaluate (cons before block)))))))

(deftest the-canonical-chain
  (is (= [2.0 2.0 2.0 2.0]
         (-> (sym/bind (sym/+ (sym/variable "a") (sym/variable "b"))
                       {"a" (ndarray/ones [2 2]) "b" (ndarray/ones [2 2])})
             executor/forward executor/outputs first ndarray/->vec))))

(deftest util-is-honest
  (is (util/close? [1.0 [2.0]] [1.0 [2.0000001]]))
  (is (not (util/close? [1.0] [1.1]))))
