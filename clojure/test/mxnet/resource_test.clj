(ns mxnet.resource-test
  "Lifetimes: scopes, closing, garbage collection, memory, threads."
  (:require [clojure.test :refer [deftest is testing use-fixtures]]
            [mxnet.context :as context]
            [mxnet.executor :as executor]
            [mxnet.ndarray :as nd]
            [mxnet.resource-scope :as scope]
            [mxnet.symbol :as sym]
            [mxnet.test-util :as util]))

(defn- settle
  "Let the collector release what is out of reach."
  []
  (dotimes [_ 3] (System/gc) (Thread/sleep 20)))

(use-fixtures :each (fn [f] (settle) (f)))

(defrecord Pair [left right])

(deftest scopes-release-temporaries
  (let [inside (atom nil)
        result (scope/using
                (let [a (nd/ones [2])
                      b (nd/+ a 1)]
                  (reset! inside [a b])
                  (nd/* b 3)))]
    (is (= [6.0 6.0] (nd/->vec result)))
    (is (every? nd/is-disposed @inside))
    (testing "with-do and with-let"
      (is (= [1.0] (nd/->vec (scope/with-do (nd/zeros [1]) (nd/ones [1])))))
      (is (= [3.0] (nd/->vec (scope/with-let [a (nd/ones [1])
                                              b (nd/+ a 1)]
                               (nd/+ a b))))))
    (testing "an error releases all"
      (let [made (atom nil)]
        (is (thrown? ArithmeticException (scope/using (reset! made (nd/ones [1])) (/ 1 0))))
        (is (nd/is-disposed @made))))))

(deftest results-escape-in-any-collection
  (doseq [[wrap unwrap] [[vector first] [hash-set first] [#(hash-map :a {:b [%]}) (comp first :b :a)]
                         [#(->Pair 1 %) :right] [list first] [#(map identity [%]) first] [#(object-array [%]) first]
                         [#(hash-map % 1) (comp first keys)]]]
    (let [result (scope/using (nd/zeros [1]) (wrap (nd/ones [1])))]
      (is (= [1.0] (nd/->vec (unwrap result)))))))

(deftest scopes-nest
  (let [inner (atom nil)
        kept (atom nil)
        outer-array (atom nil)]
    (scope/using
     (reset! outer-array (nd/ones [1]))
     (reset! kept (scope/using (reset! inner (nd/ones [1])) (nd/ones [1])))
     (is (nd/is-disposed @inner))
     (is (not (nd/is-disposed @kept)))
     (is (not (nd/is-disposed @outer-array)))
     (testing "what belongs to the outer scope stays there when the inner returns it"
       (scope/using @outer-array))
     (is (not (nd/is-disposed @outer-array)))
     nil)
    (is (every? nd/is-disposed [@kept @outer-array]))))

(deftest executors-in-scopes
  (let [net (sym/* (sym/variable "a") 2)]
    (testing "an executor escapes with its arrays"
      (let [ex (scope/using (sym/bind net {"a" (nd/ones [2])}))]
        (is (= [2.0 2.0] (nd/->vec (first (executor/outputs (executor/forward ex))))))
        (is (= [1.0 1.0] (nd/->vec (get (executor/arg-map ex) "a"))))))
    (testing "an output outlives its executor"
      (let [ex (atom nil)
            out (scope/using
                 (reset! ex (sym/simple-bind net (context/cpu) {"a" [2]}))
                 (first (executor/outputs (executor/forward @ex false {"a" 4}))))]
        (is (executor/is-disposed @ex))
        (is (= [8.0 8.0] (nd/->vec out)))))
    (testing "outputs asked for in an inner scope stay with the executor"
      (let [ex (sym/simple-bind net (context/cpu) {"a" [2]})]
        (scope/using (executor/outputs (executor/forward ex)) nil)
        (is (= [0.0 0.0] (nd/->vec (first (executor/outputs ex)))))))
    (testing "closing an executor closes what simple-bind made, not what bind was given"
      (let [ex (sym/simple-bind net (context/cpu) {"a" [2]})
            a (first (executor/arg-arrays ex))
            mine (nd/ones [2])
            other (sym/bind net {"a" mine})]
        (executor/dispose ex)
        (executor/dispose other)
        (is (nd/is-disposed a))
        (is (not (nd/is-disposed mine)))))))

(deftest open-scopes
  (let [s (scope/open-scope)
        a (scope/within s (nd/ones [1]))
        b (scope/within s (nd/+ a 1))]
    (is (= [2.0] (nd/->vec b)))
    (is (= 2 (.size s)))
    (.close s)
    (is (every? nd/is-disposed [a b])))
  (testing "escape! takes an object out"
    (let [kept (atom nil)]
      (scope/using (reset! kept (scope/escape! (nd/ones [1]))) nil)
      (is (not (nd/is-disposed @kept)))))
  (testing "threads that a scope starts work in it"
    (let [made (atom nil)]
      (scope/using @(future (reset! made (nd/ones [1]))) nil)
      (is (nd/is-disposed @made)))))

(deftest with-open-closes
  (let [kept (atom nil)]
    (with-open [^java.lang.AutoCloseable a (nd/ones [2])]
      (reset! kept a)
      (is (= [1.0 1.0] (nd/->vec a))))
    (is (nd/is-disposed @kept))))

(deftest errors-tell-where-an-object-was-closed
  (scope/record-closes! true)
  (try
    (let [a (nd/ones [1])]
      (nd/dispose a)
      (let [found (try (nd/->vec a) (catch clojure.lang.ExceptionInfo e e))]
        (is (re-find #"NDArray is closed; the cause shows where" (ex-message found)))
        (is (some #(re-find #"resource_test" (str %)) (.getStackTrace ^Throwable (ex-cause found))))))
    (finally (scope/record-closes! false))))

(deftest reading-leaves-no-handles
  (let [a (nd/ones [4 4])
        before (:ndarray (scope/live))]
    (dotimes [_ 10]
      (pr-str a) (nd/->vec a) (nd/->nd-vec a) (nd/shape-vec a) (nd/to-array a))
    (is (= before (:ndarray (scope/live))))
    (scope/using (nd/at a 1) (nd/+ a a) nil)
    (is (= before (:ndarray (scope/live))))))

(deftest ten-thousand-executors-leave-memory-flat
  (let [net (sym/fully-connected {:data (sym/fully-connected {:data (sym/variable "data") :num-hidden 16}) :num-hidden 4})
        round (fn [n]
                (dotimes [_ n]
                  (with-open [^java.lang.AutoCloseable ex (sym/simple-bind net (context/cpu) {"data" [4 8]})]
                    (executor/outputs (executor/forward ex false {"data" 1}))))
                (settle)
                (util/resident-megabytes))
        warm (round 2000)
        before (scope/live)
        after (round 10000)]
    (is (= before (scope/live)))
    (is (> 40 (- after warm)) (str warm " MB before, " after " MB after"))))

(deftest scopes-bound-memory
  (let [mega-elements [2 1024 1024]
        before (util/resident-megabytes)]
    (dotimes [_ 300]
      (scope/using (nd/+ (nd/ones mega-elements) 1) nil))
    (is (> 300 (- (util/resident-megabytes) before)))))

(deftest the-collector-releases-what-is-forgotten
  (let [before (:ndarray (scope/live))]
    (dotimes [_ 5000] (nd/ones [2]))
    (loop [tries 100]
      (when (and (pos? tries) (> (:ndarray (scope/live)) (+ before 100)))
        (settle)
        (recur (dec tries))))
    (is (<= (:ndarray (scope/live)) (+ before 100))))
  (testing "on request whenever arrays hold too much"
    (scope/set-high-water! (* 64 1024 1024))
    (try
      (let [before (util/resident-megabytes)]
        (dotimes [_ 300] (nd/ones [2 1024 1024]))
        (is (> 600 (- (util/resident-megabytes) before))))
      (finally (scope/set-high-water! nil)))
    (is (fails? #"positive number" (scope/set-high-water! -1)))))

(deftest objects-live-as-long-as-calls-use-them
  ;; Temporaries whose last use is a call in progress, with the collector at work.
  (let [done (atom false)
        collector (future (while (not @done) (System/gc)))
        a (sym/variable "a")]
    (try
      (dotimes [_ 150]
        (is (= [4.0 4.0] (nd/->vec (nd/* (nd/+ (nd/ones [2]) (nd/ones [2])) 2))))
        (is (= [6.0] (-> (sym/bind (sym/* (sym/+ a 1) 2) {"a" (nd/full [1] 2)}) executor/forward executor/outputs first
                         nd/->vec))))
      (finally (reset! done true) @collector))))

(deftest threads
  (let [work (fn [seed]
               (let [net (sym/fully-connected {:data (sym/+ (sym/variable "data") seed) :num-hidden 3})
                     weight (first (filter #(re-find #"weight" %) (sym/list-arguments net)))]
                 (with-open [^java.lang.AutoCloseable ex (sym/simple-bind net (context/cpu) {"data" [2 4]})]
                   (executor/set-arg ex weight 1)
                   (-> (executor/forward ex false {"data" 1}) executor/outputs first nd/->vec))))]
    (is (= (for [i (range 64)] (repeat 6 (* 4.0 (inc i))))
           (pmap work (range 64))))
    (testing "errors belong to the thread that made them"
      (is (= (range 32)
             (pmap (fn [i] (let [n (+ 2 i)
                                 found (util/error (nd/dot (nd/ones [n n]) (nd/ones [(inc n) n])))]
                             (when (= [[n n] [(inc n) n]] (:mxnet/shapes found)) i)))
                   (range 32)))))
    (testing "names are not given twice"
      (let [names (sym/with-new-names
                    (doall (apply concat (pmap (fn [_] (mapv (fn [_] (sym/name (sym/flatten (sym/variable "x"))))
                                                             (range 50)))
                                               (range 8)))))]
        (is (= 400 (count (set names))))))))
