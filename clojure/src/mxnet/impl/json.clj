(ns ^:no-doc mxnet.impl.json
  "A reader of JSON: objects become maps with string keys, arrays vectors."
  (:require [mxnet.impl.error :as error])
  (:import (java.io PushbackReader StringReader)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(declare read-value)

(defn- bad [what]
  (error/bad-argument (str "not JSON: " what)))

(defn- next-char
  "The next character that is not white space, as a number; -1 at the end."
  ^long [^PushbackReader in]
  (loop []
    (let [c (.read in)]
      (if (and (not (neg? c)) (Character/isWhitespace c)) (recur) c))))

(defn- read-string-rest [^PushbackReader in]
  (let [out (StringBuilder.)]
    (loop []
      (let [c (.read in)]
        (case c
          -1 (bad "a string without end")
          34 (str out)
          92 (let [e (.read in)]
               (case e
                 110 (.append out \newline)
                 116 (.append out \tab)
                 114 (.append out \return)
                 98 (.append out \backspace)
                 102 (.append out \formfeed)
                 117 (let [digits (apply str (map char (repeatedly 4 #(max 0 (.read in)))))]
                       (if (re-matches #"[0-9a-fA-F]{4}" digits)
                         (.append out (char (Integer/parseInt digits 16)))
                         (bad "an escape that is no character")))
                 -1 (bad "a string without end")
                 (.append out (char e)))
               (recur))
          (do (.append out (char c)) (recur)))))))

(defn- read-items
  "What `read-item` gives until the closing character."
  [^PushbackReader in ^long close read-item]
  (let [c (next-char in)]
    (if (== c close)
      []
      (do
        (when (neg? c) (bad "an end in the middle"))
        (.unread in (int c))
        (loop [items [(read-item in)]]
          (let [c (next-char in)]
            (cond
              (== c 44) (recur (conj items (read-item in)))
              (== c close) items
              :else (bad "a comma is missing"))))))))

(defn- read-entry [^PushbackReader in]
  (when-not (== 34 (next-char in)) (bad "a key is no string"))
  (let [key (read-string-rest in)]
    (when-not (== 58 (next-char in)) (bad (str "no colon after " key)))
    [key (read-value in)]))

(defn- read-atom [^PushbackReader in ^long first-char]
  (let [out (StringBuilder.)]
    (loop [c (int first-char)]
      (if (or (neg? c) (Character/isWhitespace c) (>= (.indexOf ",]}:" c) 0))
        (when-not (neg? c) (.unread in c))
        (do (.append out (char c)) (recur (.read in)))))
    (let [text (str out)]
      (case text
        "true" true
        "false" false
        "null" nil
        (cond
          (re-matches #"-?\d{1,18}" text) (Long/parseLong text)
          (re-matches #"-?\d+(\.\d+)?([eE][-+]?\d+)?" text) (Double/parseDouble text)
          :else (bad (pr-str text)))))))

(defn- read-value [^PushbackReader in]
  (let [c (next-char in)]
    (case c
      -1 (bad "an end in the middle")
      34 (read-string-rest in)
      91 (read-items in 93 read-value)
      123 (into {} (read-items in 125 read-entry))
      (read-atom in c))))

(defn parse
  "The value of a JSON text."
  [^String text]
  (read-value (PushbackReader. (StringReader. text))))
