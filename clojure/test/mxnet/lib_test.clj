(ns mxnet.lib-test
  (:require [clojure.string :as string]
            [clojure.test :refer [deftest is testing]]
            [mxnet.lib :as lib]
            [mxnet.ndarray :as ndarray]
            [mxnet.test-util :as util])
  (:import (java.lang.reflect Modifier)
           (mxnet LibMXNet)))

(deftest version-and-path
  (is (re-matches #"\d+\.\d+\.\d+" (lib/version)))
  (is (string/ends-with? (lib/path) "libmxnet.so")))

(deftest the-error-lists-every-path
  (let [{:keys [exit out]} (util/run-clojure
                            nil
                            '(require 'mxnet.lib)
                            '(System/setProperty "jna.library.path" "/nowhere/one:/nowhere/two")
                            '(println (try (mxnet.lib/version)
                                           (catch clojure.lang.ExceptionInfo e
                                             [(:mxnet/error (ex-data e)) (ex-message e)]))))]
    (is (zero? exit))
    ;; A Python package or a system library may be there; then it is used.
    (is (or (re-find #"(?s):library.*libmxnet.so was not found.*/nowhere/one/libmxnet.so.*/nowhere/two/libmxnet.so" out)
            (re-find #"(?m)^\d+\.\d+\.\d+$" out)))))

(deftest a-file-that-is-no-library
  (let [file (java.io.File/createTempFile "libmxnet" ".so")
        {:keys [out]} (util/run-clojure (str file)
                                        '(require 'mxnet.lib)
                                        '(println (try (mxnet.lib/version)
                                                       (catch clojure.lang.ExceptionInfo e (ex-message e)))))]
    (.delete file)
    (is (re-find #"MXNET_LIBRARY_PATH names .*libmxnet.*\.so: " out))))

(deftest reloading-keeps-the-library
  (let [before (ndarray/ones [2])
        {:keys [exit out err]} (util/run-clojure
                                (lib/path)
                                '(require '[mxnet.ndarray :as nd])
                                '(def a (nd/ones [2]))
                                '(require 'mxnet.lib 'mxnet.ndarray :reload-all)
                                '(println (nd/->vec (nd/+ a 1))))]
    (is (= [1.0 1.0] (ndarray/->vec before)))
    (is (zero? exit) err)
    (is (= "[2.0 2.0]" (last (string/split-lines out))))))

(deftest the-mapping-has-every-function
  (let [natives (->> (.getDeclaredMethods LibMXNet)
                     (filter #(Modifier/isNative (.getModifiers ^java.lang.reflect.Method %)))
                     (map #(.getName ^java.lang.reflect.Method %))
                     set)]
    (is (< 290 (count natives)))
    (testing "strings, handles and arrays of them are primitive"
      (doseq [^java.lang.reflect.Method method (.getDeclaredMethods LibMXNet)
              :when (Modifier/isNative (.getModifiers method))
              ^Class type (.getParameterTypes method)]
        (is (or (.isPrimitive type)
                (and (.isArray type) (.isPrimitive (.getComponentType type)))
                (= type com.sun.jna.Callback))
            (str method))))))
