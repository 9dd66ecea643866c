(ns mxnet.visualization
  "Drawings of networks, without any other program: SVG and Graphviz' DOT.

      (viz/save-svg (viz/plot-network net {\"data\" [1 1 28 28]}) \"net.svg\")
      (viz/->dot (viz/plot-network net))"
  (:require [clojure.java.io :as io]
            [clojure.string :as string]
            [mxnet.impl.error :as error]
            [mxnet.impl.json :as json]
            [mxnet.symbol :as sym]))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(def ^:private colours
  {"null" "#8dd3c7"
   "FullyConnected" "#fb8072" "Convolution" "#fb8072" "Deconvolution" "#fb8072"
   "Activation" "#ffffb3" "LeakyReLU" "#ffffb3" "relu" "#ffffb3" "sigmoid" "#ffffb3" "tanh" "#ffffb3"
   "BatchNorm" "#bebada" "LayerNorm" "#bebada" "GroupNorm" "#bebada" "InstanceNorm" "#bebada"
   "Pooling" "#80b1d3"
   "Concat" "#fdb462" "Flatten" "#fdb462" "Reshape" "#fdb462" "transpose" "#fdb462"
   "SoftmaxOutput" "#b3de69" "softmax" "#b3de69" "LinearRegressionOutput" "#b3de69"})

(defn- times-text [text]
  (string/join "x" (re-seq #"\d+" (or text ""))))

(defn- detail
  "The parameters of a node that a reader wants to see."
  [op {:strs [num_hidden kernel stride num_filter act_type pool_type global_pool]}]
  (let [strided (when (seq (times-text stride)) (str "/" (times-text stride)))]
    (case op
      "FullyConnected" num_hidden
      ("Convolution" "Deconvolution") (str (times-text kernel) strided ", " num_filter)
      ("Activation" "LeakyReLU") act_type
      "Pooling" (if (= "True" global_pool)
                  (str (or pool_type "max") ", global")
                  (str (or pool_type "max") ", " (times-text kernel) strided))
      nil)))

(def ^:private weight-name #"(?:.*_)?(?:weight|bias|beta|gamma|moving_mean|moving_var|running_mean|running_var|moving_avg)")

(defn- output-shapes
  "The shapes of all nodes' outputs by name."
  [sym shape-map]
  (let [internals (sym/get-internals sym)]
    (try
      (let [[_ outputs] (sym/infer-shape-partial internals shape-map)]
        (zipmap (sym/list-outputs internals) outputs))
      (finally (sym/dispose internals)))))

(defn- output-name [node ^long index shapes]
  (let [base (get node "name")]
    (first (filter #(contains? shapes %)
                   (if (= "null" (get node "op"))
                     [base]
                     (concat [(str base "_output" index)] (when (zero? index) [(str base "_output")])))))))

(defn plot-network
  "A drawing of a symbol: a map of `:title`, `:nodes` and `:edges`, for [[->svg]], [[->dot]] and [[render]]. With
  `shape-map`, shapes of inputs by name, the edges show shapes. Options: `:title`, `:hide-weights` (true),
  `:node-attrs` (attributes of nodes in DOT)."
  ([sym] (plot-network sym nil nil))
  ([sym shape-map] (plot-network sym shape-map nil))
  ([sym shape-map {:keys [title node-attrs hide-weights] :or {title "plot" hide-weights true}}]
   (let [graph (json/parse (sym/to-json sym))
         nodes (get graph "nodes")
         shapes (if (seq shape-map) (output-shapes sym shape-map) {})
         hidden (if hide-weights
                  (set (keep-indexed (fn [i node]
                                       (when (and (= "null" (get node "op")) (re-matches weight-name (get node "name")))
                                         i))
                                     nodes))
                  #{})]
     {:title title
      :node-attrs node-attrs
      :nodes (vec (for [[i node] (map-indexed vector nodes)
                        :when (not (hidden i))
                        :let [op (get node "op")
                              attrs (or (get node "attrs") (get node "attr") (get node "param"))]]
                    {:id i
                     :name (get node "name")
                     :op op
                     :detail (detail op attrs)
                     :colour (get colours op (if (re-find #"Output$" op) "#b3de69" "#fccde5"))}))
      :edges (vec (for [[i node] (map-indexed vector nodes)
                        :when (not (hidden i))
                        [from index] (get node "inputs")
                        :when (not (hidden from))
                        :let [shape (get shapes (output-name (nth nodes from) index shapes))]]
                    {:from from :to i :shape (when (seq shape) shape)}))})))

(defn- lines
  "What is written in a node's box."
  [{:keys [name op detail]}]
  (if (= op "null")
    [name]
    (remove nil? [name (str op (when (seq detail) (str " " detail)))])))

;; ---- DOT -------------------------------------------------------------------------------------------------------

(defn- dot-text [text]
  (str \" (string/escape text {\" "\\\"" \\ "\\\\" \newline "\\n"}) \"))

(defn- dot-attributes [attributes]
  (string/join ", " (for [[k v] attributes] (str (name k) "=" (dot-text (str v))))))

(defn ->dot
  "The drawing in the language of Graphviz."
  [{:keys [title nodes edges node-attrs]}]
  (str "digraph " (dot-text title) " {\n"
       "  node [" (dot-attributes (merge {:shape "box" :style "filled" :fixedsize "false"} node-attrs)) "];\n"
       (apply str (for [{:keys [id op colour] :as node} nodes]
                    (str "  n" id " ["
                         (dot-attributes (cond-> {:label (string/join "\n" (lines node)) :fillcolor colour}
                                           (= op "null") (assoc :shape "oval")))
                         "];\n")))
       (apply str (for [{:keys [from to shape]} edges]
                    (str "  n" from " -> n" to
                         (when shape (str " [label=" (dot-text (string/join "x" shape)) "]"))
                         ";\n")))
       "}\n"))

;; ---- SVG -------------------------------------------------------------------------------------------------------

(def ^:private box-height 44)
(def ^:private row-height 92)
(def ^:private gap 24)

(defn- layers
  "Rows of node numbers: a node stands below all of its inputs."
  [nodes edges]
  (let [inputs (reduce (fn [m {:keys [from to]}] (update m to (fnil conj []) from)) {} edges)
        ;; Inputs come before their users in the file.
        depth (reduce (fn [depth {:keys [id]}]
                        (assoc depth id (reduce max 0 (map #(inc (long (get depth % 0))) (get inputs id)))))
                      {} nodes)
        users (reduce (fn [m {:keys [from to]}] (update m from (fnil conj []) to)) {} edges)
        ;; A node without inputs moves down to just above its first user.
        depth (reduce (fn [depth {:keys [id]}]
                        (if (and (empty? (get inputs id)) (seq (get users id)))
                          (assoc depth id (dec (long (reduce min (map depth (get users id))))))
                          depth))
                      depth nodes)]
    [(->> nodes (map :id) (group-by depth) (sort-by key) (mapv val)) inputs]))

(defn- positions
  "The centre of every node, rows from top to bottom."
  [rows inputs widths]
  (let [row-width (fn [row] (reduce + (* (long gap) (dec (count row))) (map widths row)))
        width (reduce max 0 (map row-width rows))]
    (loop [rows rows
           y (+ (quot (long box-height) 2) (long gap))
           placed {}]
      (if-let [row (first rows)]
        (let [wish (fn [id] (let [xs (keep #(first (get placed %)) (get inputs id))]
                              (if (seq xs) (/ (double (reduce + xs)) (count xs)) Double/MAX_VALUE)))
              row (sort-by wish row)
              placed (loop [row row
                            x (+ (long gap) (quot (- (long width) (long (row-width row))) 2))
                            placed placed]
                       (if-let [id (first row)]
                         (let [w (long (widths id))]
                           (recur (rest row) (+ x w (long gap)) (assoc placed id [(+ x (quot w 2)) y])))
                         placed))]
          (recur (rest rows) (+ y (long row-height)) placed))
        [placed (+ (long width) (* 2 (long gap))) (+ (- y (long row-height)) (quot (long box-height) 2) (long gap))]))))

(defn- xml [text]
  (string/escape text {\< "&lt;" \> "&gt;" \& "&amp;" \" "&quot;"}))

(defn ->svg
  "The drawing as an SVG text."
  [{:keys [title nodes edges]}]
  (let [widths (into {} (for [node nodes]
                          [(:id node) (+ 24 (* 8 (long (reduce max 0 (map count (lines node))))))]))
        [rows inputs] (layers nodes edges)
        [placed width height] (positions rows inputs widths)
        half (quot (long box-height) 2)]
    (str "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" width "\" height=\"" height "\" viewBox=\"0 0 " width " "
         height "\" font-family=\"sans-serif\" font-size=\"13\">\n"
         "<title>" (xml title) "</title>\n"
         "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" "
         "orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#555\"/></marker></defs>\n"
         (apply str
                (for [{:keys [from to shape]} edges
                      :let [[x1 y1] (placed from)
                            [x2 y2] (placed to)
                            top (+ (long y1) half)
                            bottom (- (long y2) half)
                            middle (quot (+ top bottom) 2)]]
                  (str "<path d=\"M" x1 " " top "C" x1 " " middle " " x2 " " middle " " x2 " " bottom
                       "\" fill=\"none\" stroke=\"#555\" marker-end=\"url(#arrow)\"/>\n"
                       (when shape
                         (str "<text x=\"" (+ 6 (quot (+ (long x1) (long x2)) 2)) "\" y=\"" (+ middle 4)
                              "\" font-size=\"11\" fill=\"#555\">" (string/join "x" shape) "</text>\n")))))
         (apply str
                (for [{:keys [id op colour] :as node} nodes
                      :let [[x y] (placed id)
                            w (long (widths id))
                            texts (lines node)
                            n (count texts)]]
                  (str "<rect x=\"" (- (long x) (quot w 2)) "\" y=\"" (- (long y) half) "\" width=\"" w "\" height=\""
                       box-height "\" rx=\"" (if (= op "null") half 6) "\" fill=\"" colour "\" stroke=\"#333\"/>\n"
                       (apply str
                              (for [[i text] (map-indexed vector texts)]
                                (str "<text x=\"" x "\" y=\"" (+ (long y) 5 (- (* 16 (long i)) (* 8 (dec n))))
                                     "\" text-anchor=\"middle\">" (xml text) "</text>\n"))))))
         "</svg>\n")))

(defn save-svg
  "Write the drawing to an SVG file. Returns its name."
  [drawing file-name]
  (spit file-name (->svg drawing))
  (str file-name))

(defn- run-graphviz [drawing engine format ^java.io.File file]
  (let [^Process process
        (try
          (.start (ProcessBuilder. ^"[Ljava.lang.String;"
                                   (into-array String [engine (str "-T" format) "-o" (str file)])))
          (catch java.io.IOException e
            (error/fail :argument (str "the program " engine " (Graphviz) is needed for " format
                                       "; without it there are \"svg\" and \"dot\"")
                        {:mxnet/format format} e)))]
    (with-open [in (.getOutputStream process)]
      (.write in (.getBytes ^String (->dot drawing) "UTF-8")))
    (when-not (zero? (long (.waitFor process)))
      (error/fail :argument (str engine " failed: " (slurp (.getErrorStream process))) {:mxnet/format format}))))

(defn render
  "Write the drawing to PATH/FILENAME.FORMAT, by default as SVG. \"svg\" and \"dot\" need no other program; other formats
  (\"pdf\", \"png\") and engines need Graphviz. Returns the file's name."
  ([drawing filename path] (render drawing nil "svg" filename path))
  ([drawing engine format filename path]
   (let [format (name format)
         file (io/file path (str filename "." format))]
     (io/make-parents file)
     (cond
       (= format "dot") (spit file (->dot drawing))
       (and (= format "svg") (contains? #{nil "dot"} engine)) (spit file (->svg drawing))
       :else (run-graphviz drawing (or engine "dot") format file))
     (str file))))
