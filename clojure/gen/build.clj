(ns build
  "Compiles the Java classes, for tools.deps: clojure -X:build compile-java"
  (:require [clojure.java.io :as io])
  (:import (java.io File)
           (javax.tools ToolProvider)))

(defn compile-java
  "Compile clojure/java into build/java. Options: `:source`, `:target`."
  [{:keys [source target] :or {source "clojure/java" target "build/java"}}]
  (let [compiler (or (ToolProvider/getSystemJavaCompiler)
                     (throw (ex-info "a Java development kit is needed, not only a run-time environment" {})))
        files (->> (file-seq (io/file source)) (map str) (filter #(.endsWith ^String % ".java")) sort)
        arguments (concat ["-nowarn" "-d" target "-cp" (System/getProperty "java.class.path")] files)]
    (.mkdirs (File. ^String target))
    (when-not (zero? (.run compiler nil nil nil (into-array String arguments)))
      (throw (ex-info "javac failed" {:files files})))))
