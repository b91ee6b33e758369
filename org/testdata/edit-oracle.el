;;; edit-oracle.el --- Emacs' own commands as a reference for edits  -*- lexical-binding: t -*-
;; Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

;; emacs -Q --batch -l edit-oracle.el -f fovea-run JOBS ANSWERS
;;
;; A line of JOBS is a JSON object: id, file, line (from 1), op, a, b, now (seconds).
;; A line of ANSWERS is one too: id, org (the version, as 9.8), text (base64) and,
;; where a second file changed, other; or error. Every job sees its file as it is on disk.

(require 'org)
(require 'org-archive)
(require 'org-refile)
(require 'json)

(setenv "TZ" "UTC0")
(set-time-zone-rule t)
(setq make-backup-files nil
      create-lockfiles nil
      auto-save-default nil
      enable-local-variables nil
      enable-local-eval nil
      org-element-use-cache nil
      org-inhibit-startup-visibility-stuff t
      org-mode-hook nil
      kill-ring-max 1
      inhibit-message t
      gc-cons-threshold 200000000)

(defvar fovea-org (mapconcat #'identity (seq-take (split-string (org-version) "\\.") 2) ".")
  "The version of Org without its last number.")
(defvar fovea-now nil "The time that every command sees.")

(advice-add 'current-time :override (lambda () fovea-now))
(advice-add 'org-current-time :override (lambda (&rest _) fovea-now))
(advice-add 'org-current-effective-time :override (lambda () fovea-now))
(advice-add 'format-time-string :filter-args
            (lambda (args) (list (car args) (or (cadr args) fovea-now) (caddr args))))
(advice-add 'decode-time :filter-args
            (lambda (args) (cons (or (car args) fovea-now) (cdr args))))
;; Nil means now for these as well.
(dolist (function '(time-less-p time-equal-p time-subtract time-add))
  (advice-add function :filter-args
              (lambda (args) (list (or (car args) fovea-now) (or (cadr args) fovea-now)))))
(dolist (function '(float-time time-to-days time-to-seconds))
  (advice-add function :filter-args
              (lambda (args) (list (or (car args) fovea-now)))))
(advice-add 'org-today :override (lambda () (time-to-days fovea-now)))
(advice-add 'yes-or-no-p :override (lambda (&rest _) t))
(advice-add 'y-or-n-p :override (lambda (&rest _) t))

(defun fovea-visit (file)
  "Visit FILE as UTF-8, whatever it holds, in a buffer in Org mode."
  (let ((coding-system-for-read
         (with-temp-buffer
           (set-buffer-multibyte nil)
           (insert-file-contents-literally file nil 0 (min 3 (file-attribute-size (file-attributes file))))
           (if (equal (buffer-string) "\xef\xbb\xbf") 'utf-8-with-signature 'utf-8))))
    (let ((auto-mode-alist nil) (magic-mode-alist nil) (magic-fallback-mode-alist nil))
      (find-file-noselect file t))))

(defun fovea-text (buffer)
  "The bytes of BUFFER as they would be saved, in base64."
  (with-current-buffer buffer
    (base64-encode-string
     (encode-coding-string
      (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))
      buffer-file-coding-system)
     t)))

(defun fovea-log ()
  "Store the log note that a command asked for, without a text."
  (when org-log-setup
    (remove-hook 'post-command-hook #'org-add-log-note)
    (org-add-log-note)
    (when (get-buffer "*Org Note*")
      (with-current-buffer "*Org Note*" (org-store-log-note)))
    (setq org-log-setup nil)))

(defun fovea-apply (op a b target)
  "Apply the command OP with A and B at point; TARGET is a line."
  (pcase op
    ("todo" (org-todo (if (equal a "") 'none a)))
    ("priority" (org-priority (cond ((equal a "") (if (version< (org-version) "9.8") ?\s 'remove))
                                    ((string-match-p "\\`[0-9]+\\'" a) (string-to-number a))
                                    (t (aref a 0)))))
    ("title" (org-edit-headline a))
    ("tag" (org-toggle-tag a 'on))
    ("untag" (org-toggle-tag a 'off))
    ("property" (org-set-property a b))
    ("unproperty" (org-delete-property a))
    ("schedule" (if (equal a "") (org-schedule '(4)) (org-schedule nil a)))
    ("deadline" (if (equal a "") (org-deadline '(4)) (org-deadline nil a)))
    ("check" (org-toggle-checkbox))
    ("delete" (org-cut-subtree))
    ("sibling" (org-insert-heading-respect-content) (insert a))
    ("child"                            ; TARGET is the line of the last child
     (if (> target 0)
         (progn (goto-char (point-min))
                (forward-line (1- target))
                (org-insert-heading-respect-content))
       (end-of-line)
       (org-insert-subheading '(4)))
     (insert a))
    ("refile"
     (let ((pos (save-excursion
                  (goto-char (point-min))
                  (forward-line (1- target))
                  (point))))
       (org-refile nil nil (list "target" (buffer-file-name) nil pos))))
    ("archive" (org-archive-subtree))
    (_ (error "Unknown operation %s" op))))

(defun fovea-job (buffer text job)
  "Do JOB in BUFFER, whose TEXT is that of the file, and return the answer."
  (let ((id (alist-get 'id job)) (other nil))
    (with-current-buffer buffer
      (unwind-protect
          (condition-case err
              (let ((fovea-now (seconds-to-time (alist-get 'now job)))
                    (org-log-setup nil))
                (goto-char (point-min))
                (forward-line (1- (alist-get 'line job)))
                (fovea-apply (alist-get 'op job) (alist-get 'a job) (alist-get 'b job)
                             (alist-get 'target job))
                (fovea-log)
                (when (equal (alist-get 'op job) "archive")
                  (dolist (b (buffer-list))
                    (when (and (buffer-file-name b) (not (eq b buffer)))
                      (setq other (fovea-text b)))))
                `((id . ,id) (org . ,fovea-org) (text . ,(fovea-text buffer)) ,@(and other `((other . ,other)))))
            (error `((id . ,id) (org . ,fovea-org) (error . ,(error-message-string err)))))
        (dolist (b (buffer-list))
          (when (and (buffer-file-name b) (not (eq b buffer)))
            (let ((file (buffer-file-name b)))
              (with-current-buffer b (set-buffer-modified-p nil))
              (kill-buffer b)
              (when (and (string-match-p "_archive\\'" file) (not (file-exists-p (concat file ".keep"))))
                (ignore-errors (delete-file file))))))
        (when (get-buffer "*Org Note*") (kill-buffer "*Org Note*"))
        (widen)
        (let ((inhibit-read-only t) (inhibit-modification-hooks t))
          (erase-buffer)
          (remove-overlays)
          (insert text)
          (set-buffer-modified-p nil))))))

(defun fovea-run ()
  "Do the jobs of the first file named on the command line, answer in the second."
  (let* ((jobs-file (pop command-line-args-left))
         (answers-file (pop command-line-args-left))
         (buffer nil) (file nil) (text nil)
         (jobs (with-temp-buffer
                 (insert-file-contents jobs-file)
                 (let ((all nil))
                   (while (not (eobp))
                     (push (json-parse-buffer :object-type 'alist) all)
                     (forward-line 1))
                   (nreverse all)))))
    (with-temp-file answers-file
      (set-buffer-file-coding-system 'utf-8)
      (let ((out (current-buffer)))
        (dolist (job jobs)
          (unless (equal file (alist-get 'file job))
            (when buffer
              (with-current-buffer buffer (set-buffer-modified-p nil))
              (kill-buffer buffer))
            (setq file (alist-get 'file job)
                  buffer (fovea-visit file))
            (with-current-buffer buffer
              (setq text (buffer-string))
              (let ((inhibit-message t)) (org-mode))
              (erase-buffer)            ; tables that were aligned
              (insert text)
              (buffer-disable-undo)))
          (let ((answer (fovea-job buffer (substring-no-properties text) job)))
            (with-current-buffer out
              (insert (json-serialize answer) "\n"))))))))

(provide 'edit-oracle)
;;; edit-oracle.el ends here
