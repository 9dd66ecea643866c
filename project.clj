(defproject remxnet "1.10.0"
  :description "MXNet's symbolic API on a new engine, for Clojure"
  :license {:name "Apache-2.0" :url "https://www.apache.org/licenses/LICENSE-2.0"}
  :dependencies [[org.clojure/clojure "1.12.0"]
                 [net.java.dev.jna/jna "5.14.0"]]
  :source-paths ["clojure/src"]
  :java-source-paths ["clojure/java"]
  :resource-paths ["clojure/resources"]
  :test-paths ["clojure/test"]
  :target-path "target/%s"
  :javac-options ["-nowarn"]
  ;; The library is found there after ./dev build; MXNET_LIBRARY_PATH goes before it.
  :jvm-opts ["-Djna.library.path=build/dev/lib"]
  :aliases {"test-all" ["run" "-m" "mxnet.test-runner"]}
  :profiles {:dev {:dependencies [[org.clojure/test.check "1.1.1"]]}
             ;; Without a network: the packages clojure, leiningen, libjna-java and libtest-check-clojure of Debian.
             ;; lein with-profile +debian test
             :debian {:dependencies ^:replace [[org.clojure/clojure "debian"]
                                               [net.java.dev.jna/jna "debian"]
                                               [org.clojure/test.check "debian"]]
                      :local-repo "target/debian-repository"
                      :repositories ^:replace [["debian" {:url "file:///usr/share/maven-repo" :checksum :ignore
                                                          :snapshots true}]]
                      :plugin-repositories ^:replace [["debian" {:url "file:///usr/share/maven-repo" :checksum :ignore}]]}})
