;;; fovea-bench.el --- Figures of fovea.el  -*- lexical-binding: t; -*-

;; Copyright The Fovea Authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Prints, for a copy of the notes in the folder FOVEA_BENCH_NOTES, how long it takes
;; from a key to the results of a search, how much longer an answer takes with our
;; filter than with an empty one, and how long an agent's write takes to a buffer:
;;
;;   go test ./cmd/fovea -run '^$' -bench Emacs -benchtime 1x

;;; Code:

(require 'fovea-test)

(defun fovea-bench-quantile (times q)
  "Return the quantile Q of TIMES in milliseconds."
  (* 1000 (nth (floor (* q (1- (length times)))) (sort (copy-sequence times) #'<))))

(defun fovea-bench-key (text)
  "Return the times from each key of TEXT to its results."
  (garbage-collect)
  (let ((all nil) (fovea--search-wanted nil) (gc-cons-threshold fovea--search-garbage))
    (dotimes (n (length text))
      (let* ((typed (substring text 0 (1+ n))) (start (float-time)))
        (fovea--search-update typed)
        (while (not (equal fovea--search-text typed)) (accept-process-output nil 0.001))
        (redisplay)
        (push (- (float-time) start) all)))
    all))

(defun fovea-bench-receive (filter)
  "Return the time of the processor in which FILTER gets all notes, and their size."
  (let* ((pending (fovea--pending-make))
         (process (fovea--open (plist-get fovea--daemon :socket) filter #'ignore))
         (body (fovea--encode `((query . "level:0..9") (content . t) (limit . 100000)))))
    (process-put process :fovea pending)
    (process-send-string
     process (format "POST /v1/query HTTP/1.1\r\nHost: fovea\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                     (length body) body))
    (garbage-collect)
    (let ((start (get-internal-run-time)))
      (while (process-live-p process) (accept-process-output process 1))
      (cons (float-time (time-subtract (get-internal-run-time) start))
            (fovea--pending-size pending)))))

(defun fovea-bench-write (round)
  "Return the time from an agent's write, number ROUND, to the buffer."
  (let ((text (format "Written %d." round)) (start (float-time)))
    (fovea--call "edit" `((id . ,(fovea--reference)) (append . ,text))
                 '(("Fovea-Agent" . "ada") ("Fovea-Role" . "owner")))
    (while (not (save-excursion (goto-char (point-min)) (search-forward text nil t)))
      (accept-process-output nil 0.001))
    (- (float-time) start)))

(defun fovea-bench-keys ()
  "Return the times from keys to results of twenty words, typed key by key."
  (let ((nodes (fovea--call "query" '((query . "level:1..9") (limit . 300)))))
    (mapcan (lambda (word) (fovea-bench-key (downcase word)))
            (seq-take (seq-uniq (mapcar (lambda (node)
                                          (car (last (split-string (alist-get 'title node)))))
                                        nodes))
                      20))))

(fovea-test-with
  (let ((inhibit-message t) (notes (fovea-test-file "notes")) figures empty ours)
    (copy-directory (getenv "FOVEA_BENCH_NOTES") notes nil nil t)
    (fovea--connect)
    (fovea-test-until "the vectors of a new memory"
                      (lambda () (eql 0 (alist-get 'pending_embeddings (fovea--call "status")))))
    (fovea-bench-keys)                  ; once for what is read at first
    (let ((keys (fovea-bench-keys)))
      (push (cons "key-p50-ms" (fovea-bench-quantile keys 0.5)) figures)
      (push (cons "key-p95-ms" (fovea-bench-quantile keys 0.95)) figures))
    (dotimes (_ 5)
      (push (car (fovea-bench-receive #'ignore)) empty)
      (push (fovea-bench-receive #'fovea--collect) ours))
    (push (cons "answer-MB" (/ (cdar ours) 1e6)) figures)
    (push (cons "filter/empty" (/ (apply #'min (mapcar #'car ours)) (apply #'min empty))) figures)
    (fovea-mode 1)
    (fovea-test-until "the stream" (lambda () fovea--stream-open))
    (find-file (car (directory-files-recursively notes "\\.org\\'")))
    (goto-char (point-max))
    (push (cons "write-p95-ms" (fovea-bench-quantile (mapcar #'fovea-bench-write (number-sequence 1 20)) 0.95))
          figures)
    (pcase-dolist (`(,name . ,value) (nreverse figures)) (princ (format "%s %.2f\n" name value)))))

(provide 'fovea-bench)
;;; fovea-bench.el ends here
