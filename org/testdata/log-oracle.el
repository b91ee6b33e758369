;;; log-oracle.el --- logs as a user of Emacs writes them  -*- lexical-binding: t -*-
;; Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

;; emacs -Q --batch -l log-oracle.el -f fovea-write-logs JOBS
;; emacs -Q --batch -l log-oracle.el -f fovea-sum-clocks FILES
;;
;; A job is (FILE ((SETTING . VALUE)...) ((COMMAND . NOTE)...)), in the syntax of Lisp. Of
;; each of FILES, names in quotes, the minutes of its clocks are printed.

(require 'org)
(require 'org-clock)
(require 'cl-lib)

(setenv "TZ" "UTC0")
(set-time-zone-rule t)
(setq make-backup-files nil
      create-lockfiles nil
      auto-save-default nil
      org-clock-persist nil
      inhibit-message t)

(defvar fovea-now 0 "The time in seconds that the commands see.")
(defun fovea-time (&rest _) (seconds-to-time fovea-now))
(advice-add 'current-time :override #'fovea-time)
(advice-add 'org-current-time :override #'fovea-time)
(advice-add 'org-current-effective-time :override #'fovea-time)
(defun fovea-store (text)
  "Store the note that Org asks for, with TEXT."
  (when (memq 'org-add-log-note post-command-hook)
    (remove-hook 'post-command-hook 'org-add-log-note)
    (org-add-log-note)
    (when (get-buffer "*Org Note*")
      (with-current-buffer "*Org Note*"
        (goto-char (point-max))
        (insert text)
        (let ((org-note-abort nil)) (org-store-log-note))))))
(defun fovea-do (command text)
  (cl-incf fovea-now 4020)
  (goto-char (point-min))
  (re-search-forward "^\\* ")
  (cl-case command
    (todo (org-todo "DONE"))
    (back (org-todo "TODO"))
    (wait (org-todo "WAIT"))
    (note (org-add-note))
    (schedule (org-schedule nil (format-time-string "%Y-%m-%d" (seconds-to-time (+ 86400 fovea-now)))))
    (unschedule (org-schedule '(4)))
    (deadline (org-deadline nil (format-time-string "%Y-%m-%d" (seconds-to-time (+ 86400 fovea-now)))))
    (undeadline (org-deadline '(4)))
    (clock (org-clock-in) (cl-incf fovea-now 1800) (org-clock-out)))
  (fovea-store text))
(defun fovea-lines (function)
  (let ((file (car command-line-args-left)) (forms nil))
    (setq command-line-args-left nil)
    (with-temp-buffer
      (insert-file-contents file)
      (condition-case nil (while t (push (read (current-buffer)) forms)) (end-of-file nil)))
    (dolist (form (nreverse forms)) (funcall function form))))
(defun fovea-write-logs ()
  (fovea-lines
   (lambda (job)
     (setq fovea-now 1767261600)
     (cl-destructuring-bind (file settings commands) job
       (cl-progv (mapcar #'car settings) (mapcar #'cdr settings)
         (with-current-buffer (find-file-noselect file)
           (dolist (c commands) (fovea-do (car c) (cdr c)))
           (let ((coding-system-for-write 'utf-8-unix)) (save-buffer))
           (kill-buffer)))))))
(defun fovea-sum-clocks ()
  (fovea-lines
   (lambda (file)
     (with-current-buffer (find-file-noselect file)
       (org-clock-sum)
       (princ (format "%s\n" org-clock-file-total-minutes))
       (kill-buffer)))))

(provide 'log-oracle)
;;; log-oracle.el ends here
