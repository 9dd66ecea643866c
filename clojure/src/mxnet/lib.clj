(ns mxnet.lib
  "Finding and loading the native library. It is loaded on first use and stays for the life of the JVM.

  Where it is looked for, in this order:

  1. the system property `mxnet.library.path`, a file or a folder,
  2. the environment variable `MXNET_LIBRARY_PATH`, a file or a folder,
  3. the folders of the properties `jna.library.path` and `java.library.path` and of `LD_LIBRARY_PATH`,
  4. the class path, as `linux-x86-64/libmxnet.so` (the names of platforms are JNA's),
  5. the Python package `mxnet` of the `python3` on the path.

  To share one engine with Python in the same process, name Python's file by 1 or 2."
  (:require [clojure.java.io :as io]
            [clojure.string :as string]
            [mxnet.impl.error :as error])
  (:import (com.sun.jna Function Library Native NativeLibrary Platform Pointer)
           (java.io File)
           (java.util.concurrent TimeUnit)
           (mxnet LibMXNet)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

;; RTLD_LAZY; without RTLD_GLOBAL the library's own dependencies stay out of the process' name space.
(def ^:private open-flags (int 1))

(defn- file-name ^String [] (System/mapLibraryName "mxnet"))

(defn- in-folder [origin ^String path]
  (let [file (io/file path)]
    {:origin origin :path (str (if (.isDirectory file) (io/file file (file-name)) file))}))

(defn- folders [^String paths]
  (remove string/blank? (string/split (or paths "") (re-pattern File/pathSeparator))))

(defn- from-class-path []
  (let [resource (str Platform/RESOURCE_PREFIX "/" (file-name))]
    (when-let [url (io/resource resource)]
      (if (= "file" (.getProtocol url))
        {:origin "class path" :path (str (io/file url))}
        {:origin "class path" :path (str (Native/extractFromResourcePath resource (.getContextClassLoader (Thread/currentThread))))}))))

(def ^:private python-code
  (str "import importlib.util as u; s = u.find_spec('mxnet');"
       "print(list(s.submodule_search_locations)[0] if s else '')"))

(defn- from-python []
  (try
    (let [process (.start (ProcessBuilder. ^"[Ljava.lang.String;" (into-array String ["python3" "-c" python-code])))
          folder (string/trim (slurp (.getInputStream process)))]
      (when (and (.waitFor process 10 TimeUnit/SECONDS) (seq folder))
        {:origin "Python package" :path (str (io/file folder (file-name)))}))
    (catch java.io.IOException _ nil)))

(defn- candidates
  "Functions that give the next place to look at, or nil."
  []
  (concat
   [#(some->> (not-empty (System/getProperty "mxnet.library.path")) (in-folder "property mxnet.library.path"))
    #(some->> (not-empty (System/getenv "MXNET_LIBRARY_PATH")) (in-folder "variable MXNET_LIBRARY_PATH"))]
   (for [[origin paths] [["property jna.library.path" (System/getProperty "jna.library.path")]
                         ["property java.library.path" (System/getProperty "java.library.path")]
                         ["variable LD_LIBRARY_PATH" (System/getenv "LD_LIBRARY_PATH")]]
         folder (folders paths)]
     #(hash-map :origin origin :path (str (io/file folder (file-name)))))
   [from-class-path from-python]))

(defn- calm-threads!
  "libgomp reads its settings when it is loaded. By default its threads spin for milliseconds after each parallel loop and
  stall everything as soon as another process wants their core; microseconds are as fast on a quiet machine."
  []
  (when-not (System/getenv "OMP_WAIT_POLICY")
    (try
      (.invokeInt (.getFunction (NativeLibrary/getInstance "c") "setenv")
                  (object-array ["GOMP_SPINCOUNT" "5000" (int 0)]))
      (catch UnsatisfiedLinkError _ nil))))

(defn- try-open
  "The opened library, or the reason why it could not be opened."
  [{:keys [^String path]}]
  (if-not (.exists (io/file path))
    "no such file"
    (try
      (calm-threads!)
      (NativeLibrary/getInstance path ^java.util.Map (hash-map Library/OPTION_OPEN_FLAGS open-flags))
      (catch UnsatisfiedLinkError failure (or (.getMessage failure) "cannot be loaded")))))

(defn- bind [^NativeLibrary library path]
  (try
    (LibMXNet/register library)
    ;; Version 1.9 describes some operators only after it was asked for their names.
    (LibMXNet/MXListAllOpNames (int-array 1) (long-array 1))
    (catch UnsatisfiedLinkError failure
      (error/fail :library (str "the library " path " is not the one this version of remxnet needs: "
                                (.getMessage failure))
                  {:mxnet/path path} failure))))

(defn- load-library []
  (loop [places (candidates)
         tried []]
    (if-let [place (first places)]
      (if-let [found (place)]
        (let [opened (try-open found)]
          (cond
            (instance? NativeLibrary opened) (bind opened (:path found))
            ;; A place that the user named must not be passed over in silence.
            (string/starts-with? (str (:origin found) " ") "property mxnet")
            (error/fail :library (str "the property mxnet.library.path names " (:path found) ": " opened)
                        {:mxnet/tried [(assoc found :reason opened)]})
            (string/starts-with? (str (:origin found)) "variable MXNET")
            (error/fail :library (str "the variable MXNET_LIBRARY_PATH names " (:path found) ": " opened)
                        {:mxnet/tried [(assoc found :reason opened)]})
            :else (recur (rest places) (conj tried (assoc found :reason opened)))))
        (recur (rest places) tried))
      (error/fail :library
                  (str "the native library " (file-name) " was not found. Set MXNET_LIBRARY_PATH or the property "
                       "mxnet.library.path to it. Tried:"
                       (apply str (for [{:keys [origin path reason]} tried]
                                    (str "\n  " path " (" origin "): " reason)))
                       (when (empty? tried) "\n  nothing"))
                  {:mxnet/tried tried}))))

(def ^:private load-lock (Object.))

(defn ensure-loaded
  "Load the native library unless it is loaded; an error lists every path that was tried."
  []
  (when (nil? (LibMXNet/library))
    (locking load-lock
      (when (nil? (LibMXNet/library))
        (load-library)))))

(defn path
  "The file of the native library."
  []
  (ensure-loaded)
  (str (.getFile ^NativeLibrary (LibMXNet/library))))

(defn version
  "The version of the native library, for instance \"1.10.0\"."
  []
  (ensure-loaded)
  (let [out (int-array 1)
        _ (LibMXNet/MXGetVersion out)
        number (long (aget out 0))]
    (str (quot number 10000) "." (rem (quot number 100) 100) "." (rem number 100))))

(defn- extension
  "A function of the table of extensions by its place, nil when the library has no such table."
  ^Function [^long place]
  (ensure-loaded)
  (when-let [table ^Pointer (LibMXNet/MXGetExtApi 1)]
    (when (> (.getInt table 4) (* 8 place))
      (Function/getFunction (.getPointer table (* 8 place))))))

(defn instance-id
  "A number that tells this loaded copy of the library from any other in the process; nil when it cannot tell. Handles
  may be passed between languages that see the same number."
  []
  (when-let [^Function function (extension 2)]
    (.invokeLong function (object-array 0))))

(defn live-handles
  "How many handles of a kind (\"NDArray\", \"Symbol\", \"Executor\") the library keeps in the whole process; nil when it
  cannot tell."
  [kind]
  (when-let [^Function function (extension 3)]
    (.invokeLong function (object-array [kind]))))
