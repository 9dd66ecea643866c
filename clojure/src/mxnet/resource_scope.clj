(ns mxnet.resource-scope
  "When arrays, symbols and executors are released.

  There are three ways, which go together:

  - do nothing: the garbage collector releases what is out of reach, late;
  - `(with-open [x (ndarray/ones [2 2])] ...)` or `(ndarray/dispose x)`: one object, at once;
  - a scope: everything that is made inside, temporaries too, is released at its end, except what the scope
    returns, also inside of maps, vectors, sequences, sets and records.

        (scope/with-let [a (ndarray/ones [1000 1000])
                         b (ndarray/* a 2)]
          (ndarray/sum (ndarray/+ a b)))       ; only the sum is left

  A scope belongs to the code within it, on the threads too that `future` and `pmap` start there."
  (:require [mxnet.impl.error :as error]
            [mxnet.impl.native :as native])
  (:import (mxnet Executor NativeObject Scope)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn- escape
  "Move what a result holds from a scope to the one around it."
  [^Scope scope result]
  (letfn [(walk [x]
            (cond
              (instance? NativeObject x)
              (let [owner (.owner ^NativeObject x)]
                (when (and owner (.within owner scope))
                  (.moveTo ^NativeObject x (.parent scope)))
                (when (instance? Executor x)
                  (walk (vals (select-keys (.bound ^Executor x) [:args :grads :aux])))))

              (map? x) (run! walk (concat (keys x) (vals x)))
              (coll? x) (run! walk x)
              (and (some? x) (.isArray (class x)) (not (.isPrimitive (.getComponentType (class x)))))
              (run! walk (seq x))))]
    (walk result)
    result))

(defn ^:no-doc call-in-scope [body]
  (with-open [scope (Scope. native/*scope*)]
    (escape scope (binding [native/*scope* scope] (body)))))

(defmacro using
  "Evaluate the forms in a scope: at the end everything made inside is released but what is in the value of
  the last form."
  [& forms]
  `(call-in-scope (fn [] ~@forms)))

(defmacro with-do
  "The same as [[using]]: a `do` whose temporaries are released."
  [& forms]
  `(using ~@forms))

(defmacro with-let
  "A `let` in a scope: what the bindings and the forms make is released at the end, but what is in the value of
  the last form."
  [bindings & forms]
  `(using (let ~bindings ~@forms)))

(defn open-scope
  "A scope to be closed by hand, for instance at the REPL: objects are made in it inside of [[within]] and are
  released by `(.close scope)`."
  ^Scope []
  (Scope. native/*scope*))

(defmacro within
  "Evaluate the forms with a scope from [[open-scope]] as the owner of what is made."
  [scope & forms]
  `(binding [native/*scope* ~scope] ~@forms))

(defn escape!
  "Take an object, or all objects of a collection, out of the current scope into the one around it."
  [x]
  (if-let [scope native/*scope*] (escape scope x) x))

(defn live
  "How many objects there are that have not been released: a map of `:ndarray`, `:symbol` and `:executor`."
  []
  (into {} (for [kind [:ndarray :symbol :executor]] [kind (native/live kind)])))

(defn live-bytes
  "The memory held by arrays made by name (`zeros`, `array`, ...), and by all while [[set-high-water!]] is on."
  ^long []
  (NativeObject/liveBytes))

(defn set-high-water!
  "Ask for a garbage collection whenever arrays hold more than so many bytes; nil turns that off (the default).
  For long loops that make many arrays outside of any scope."
  [bytes]
  (when-not (or (nil? bytes) (pos-int? bytes))
    (error/bad-argument (str "expected a positive number of bytes or nil, got " (error/describe bytes))
                        {:mxnet/got bytes}))
  (native/set-high-water bytes))

(defn record-closes!
  "Whether an error about the use of a closed object tells where it was closed (costs a stack trace a close)."
  [on]
  (NativeObject/recordCloses (boolean on)))
