;;; lisp.el --- Cases  -*- lexical-binding: t; -*-
;; (defun commented ())
(require 'cl-lib)
(eval-when-compile (require 'subr-x))

(defgroup cases nil "Group (defun in-string ())." :group 'tools)
(defcustom cases-option ?\( "A character." :type 'character)
(defvar cases-map (make-sparse-keymap))
(defconst cases-re "\\(defun x (")
(defvar-local cases--local nil)
(defface cases-face '((t :inherit default)) "Face.")

(defun cases-plain (a &optional b)
  "Doc \"quoted\" (defun inner ())."
  (interactive "p")
  (let ((c ?\") (d ?\;) (e ?\\) (f ?\C-\M-x))
    (defun cases--nested () nil)))

(defmacro cases-with (&rest body) (declare (indent 0)) `(progn ,@body))
(cl-defun cases-keys (&key (a 1) b) (list a b))
(cl-defmethod cases-method ((x integer) y) x)
(cl-defgeneric cases-generic (x))
(defsubst cases-inline (x) x)
(cl-defstruct (cases-struct (:constructor make-it)) a b)
(define-minor-mode cases-mode "Mode." :lighter " c" (if cases-mode 1 2))
(define-derived-mode cases-major-mode prog-mode "Cases")
(defalias 'cases-alias #'cases-plain)
(define-obsolete-function-alias 'cases-old 'cases-plain "1.0")

(eval-and-compile
  (defun cases-compiled () t))
(unless (fboundp 'cases-missing)
  (defun cases-missing () nil))
'(defun quoted ())
(provide 'lisp)
;;; lisp.el ends here
