(ns ^:no-doc mxnet.impl.alias
  "Namespaces that hold the vars of others, for scripts that were written for another name.")

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn copy-vars
  "Define in a namespace what another makes public, with the same documentation."
  [target source]
  (require source)
  (doseq [[var-name v] (ns-publics source)
          :when (not (:no-doc (meta v)))]
    (ns-unmap target var-name)
    (intern target (with-meta var-name (select-keys (meta v) [:doc :arglists :added :macro])) @v)))
