;; Debian keeps a Maven repository of its packages; what it has need not be fetched (Leiningen's nREPL, for one).
(def debian-repository
  (when (.isDirectory (java.io.File. "/usr/share/maven-repo"))
    [["debian" {:url "file:///usr/share/maven-repo" :checksum :ignore}]]))

(defproject remxnet "1.10.0"
  :description "MXNet's symbolic API on a new engine, for Clojure"
  :license {:name "Apache-2.0" :url "https://www.apache.org/licenses/LICENSE-2.0"}
  :dependencies [[org.clojure/clojure "1.12.0"]
                 [net.java.dev.jna/jna "5.14.0"]]
  :repositories ~debian-repository
  :source-paths ["clojure/src"]
  :java-source-paths ["clojure/java"]
  :resource-paths ["clojure/resources"]
  :test-paths ["clojure/test"]
  :target-path "target/%s"
  :javac-options ["-nowarn"]
  ;; The library is found there after ./dev build; MXNET_LIBRARY_PATH goes before it.
  :jvm-opts ["-Djna.library.path=build/dev/lib"]
  :profiles {:dev {:dependencies [[org.clojure/test.check "1.1.1"]]}
             ;; Without a network: lein with-profile +debian test
             ;; with the packages leiningen, libjna-java, libjna-jni and libtest-check-clojure.
             ;; The client of lein repl is on Clojars alone; Clojure's own prompt takes its place.
             :debian {:aliases {"repl" ["run" "-m" "clojure.main"]}
                      :dependencies ^:replace [[org.clojure/clojure "1.11.1"]
                                               [net.java.dev.jna/jna "debian"]
                                               [org.clojure/test.check "debian"]]
                      :local-repo "target/debian-repository"
                      :repositories ^:replace ~debian-repository
                      :plugin-repositories ^:replace ~debian-repository}})
