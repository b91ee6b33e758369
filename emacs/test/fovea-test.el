;;; fovea-test.el --- Tests of fovea.el  -*- lexical-binding: t; -*-

;; Copyright The Fovea Authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Each test has a daemon and a home of its own; FOVEA_BINARY names the program:
;;
;;   go test ./cmd/fovea -run TestEmacsClient

;;; Code:

(require 'ediff)
(require 'ert)
(require 'fovea)
(require 'org)
(require 'org-capture)
(require 'text-property-search)

(defconst fovea-test-garden
  "#+TITLE: Garden
* TODO Oak
A slow tree.
* Beech :tree:
:PROPERTIES:
:ID: beech
:END:
A quick one, with zebrawood beside it.
* Straße
Größe und Maß.
"
  "A file of the memex.")

(defvar fovea-test-folder nil "The folder of this test.")

(defun fovea-test-file (path)
  "Return the file PATH of the memex."
  (expand-file-name path (expand-file-name "memex" fovea-test-folder)))

(defun fovea-test-read (path)
  "Return the text of the file PATH of the memex."
  (with-temp-buffer
    (insert-file-contents (fovea-test-file path))
    (buffer-string)))

(defun fovea-test-until (what condition)
  "Wait until CONDITION is true, which is WHAT the test waits for."
  (let ((end (+ (float-time) 60)) value)
    (while (not (or (setq value (funcall condition)) (> (float-time) end)))
      (accept-process-output nil 0.02))
    (unless value (ert-fail (format "waited a minute: %s" what)))
    value))

(defmacro fovea-test-with (&rest body)
  "Run BODY with a memex, a home and a daemon of its own."
  (declare (indent 0) (debug t))
  `(let* ((fovea-test-folder (make-temp-file "fv" t))
          (process-environment (copy-sequence process-environment))
          (fovea-program (or (getenv "FOVEA_BINARY") "fovea"))
          (fovea-memex nil) (fovea-agent nil) (fovea--daemon nil) (fovea-socket nil)
          (fovea--search-text nil) (fovea--search-wanted nil) (fovea--search-asked nil) (fovea--telling nil) (fovea--stream-last nil)
          (fovea--finding nil) (fovea--warned nil)
          (kill-ring nil) (create-lockfiles nil) (make-backup-files nil)
          (buffers (buffer-list)))
     (dolist (name '("memex" "home" "run" "state" "config/fovea"))
       (make-directory (expand-file-name name fovea-test-folder) t))
     (set-file-modes (expand-file-name "run" fovea-test-folder) #o700)
     (pcase-dolist (`(,name . ,folder) '(("HOME" . "home") ("XDG_RUNTIME_DIR" . "run")
                                         ("MEMORY_SNAPSHOT_PATH" . "state")
                                         ("XDG_CONFIG_HOME" . "config") ("FOVEA_MEMEX" . "memex")))
       (setenv name (expand-file-name folder fovea-test-folder)))
     (with-temp-file (expand-file-name "config/fovea/config.toml" fovea-test-folder)
       (insert "review = [\"reviewed/\"]\n[guard]\nlockdown = [\"core.org\"]\n"
               "[grants.ada]\npaths = [\"garden.org\", \"other.org\", \"reviewed/\"]\n"))
     (with-temp-file (fovea-test-file "garden.org") (insert fovea-test-garden))
     (unwind-protect
         (progn ,@body)
       (ignore-errors (fovea-mode -1))
       (ignore-errors (fovea-point-mode -1))
       (ignore-errors                   ; what is found late is not of the next test
         (fovea-test-until "a daemon" (lambda () (null fovea--finding))))
       (when (and fovea-program (executable-find fovea-program))
         (call-process fovea-program nil nil nil "serve" "--stop" "--quiet"))
       (dolist (buffer (buffer-list))
         (unless (or (memq buffer buffers) (not (buffer-live-p buffer)))
           (with-current-buffer buffer (set-buffer-modified-p nil))
           (kill-buffer buffer)))
       (ignore-errors (delete-directory fovea-test-folder t)))))

(defun fovea-test-agent (operation request)
  "Ask OPERATION with REQUEST as the agent ada."
  (fovea--call operation request '(("Fovea-Agent" . "ada"))))

(defun fovea-test-visit (path &optional text)
  "Visit the file PATH of the memex, at TEXT."
  (set-buffer (find-file-noselect (fovea-test-file path)))
  (goto-char (point-min))
  (when text (search-forward text))
  (current-buffer))

(defmacro fovea-test-error (pattern &rest body)
  "Check that BODY ends with a `user-error' of one line that PATTERN matches."
  (declare (indent 1) (debug t))
  `(let ((line (cadr (should-error (progn ,@body) :type 'user-error))))
     (should (string-match-p ,pattern line))
     (should-not (string-search "\n" line))))

(defmacro fovea-test-untouched (&rest body)
  "Check that the current buffer and its file are the same after BODY."
  (declare (indent 0) (debug t))
  `(let* ((buffer (current-buffer)) (text (buffer-string)) (tick (buffer-chars-modified-tick))
          (path (fovea--path)) (disk (and path (fovea-test-read path))))
     (prog1 (progn ,@body)
       (with-current-buffer buffer
         (should (equal tick (buffer-chars-modified-tick)))
         (should (equal text (buffer-string))))
       (when path (should (equal disk (fovea-test-read path)))))))

;;;; Connection

(ert-deftest fovea-test-http ()
  "Answers are read whole, in chunks or not; what is cut off is an error."
  (should (equal (fovea--chunks "3\r\nabc\r\n0a\r\n0123456789\r\n0\r\n\r\n")
                 '("abc0123456789" "0\r\n\r\n" t)))
  (should (equal (fovea--chunks "3\r\nabc\r\nff\r\n0123") '("abc" "ff\r\n0123" nil)))
  (should (equal (fovea--chunks "3\r\nabc\r\n") '("abc" "" nil)))
  (should (equal (fovea--chunks "zz\r\nabc\r\n") '("" "zz\r\nabc\r\n" nil)))
  (should (equal (fovea--head "HTTP/1.1 204 No\r\nA: b:c\r\n\r\nrest") '(204 (("a" . "b:c")) . "rest")))
  (should-not (fovea--head "HTTP/1.1 200 OK\r\nA: b\r\n"))
  (should (equal (fovea--line "one:\n  two") "one"))
  (should (equal (fovea--json "[\"a\\u0000b\\\\u0000\\\\\\u0000\",\"\\n\"]") '("a\ufffdb\\u0000\\\ufffd" "\n")))
  (should (equal (alist-get 'a (fovea--json "{\"a\":[\"\303\237\",null,false]}")) '("ß" nil nil))))

(defun fovea-test-serve (answer)
  "Serve ANSWER, a string, to each connection; return the socket.
Several strings in a list are sent one after another."
  (let ((socket (expand-file-name (format "s%d" (random 100000)) fovea-test-folder)))
    (make-network-process
     :name "fovea test" :family 'local :server t :service socket :noquery t :coding 'binary
     :filter (lambda (client request)
               (when (string-search "\r\n\r\n" request)
                 (dolist (part (if (listp answer) answer (list answer)))
                   (ignore-errors (process-send-string client part)))
                 (ignore-errors (process-send-eof client))
                 (delete-process client))))
    socket))

(defun fovea-test-greeting (protocol)
  "Return an answer to hello that speaks PROTOCOL."
  (let ((json (format "{\"protocol\":%d,\"memex\":%S,\"state_dir\":\"/\"}" protocol
                      (expand-file-name "memex" fovea-test-folder))))
    (format "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" (length json) json)))

(ert-deftest fovea-test-no-daemon ()
  "Without a daemon, a program or the right version, a command is one line."
  (fovea-test-with
    (let ((fovea-start-daemon nil))
      (fovea-test-error "no daemon runs" (fovea-query "todo:TODO")))
    (let ((fovea-program "/nowhere/fovea"))
      (fovea-test-error "no program" (fovea-query "todo:TODO")))
    (dolist (fovea-start-daemon '(nil t))
      (let ((fovea-memex (expand-file-name "nowhere" fovea-test-folder)))
        (fovea-test-error "\\`Fovea: .*open: .*nowhere: no such folder; create it" (fovea-query "todo:TODO"))))
    (let ((fovea-socket (expand-file-name "none" fovea-test-folder)))
      (fovea-test-error "no daemon runs" (fovea-query "todo:TODO"))
      (fovea-mode 1)                     ; is no error, as it may stand in an init file
      (should fovea-mode)
      (should (string-search "gone" fovea--mode-line))
      (fovea-mode -1))
    (let ((fovea-socket (fovea-test-serve (fovea-test-greeting 2))))
      (fovea-test-error "protocol 2 and this package 1" (fovea-query "todo:TODO")))
    (let ((fovea-socket (fovea-test-serve "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\"hi\"")))
      (fovea-test-error "protocol nil and this package 1" (fovea-query "todo:TODO")))
    (let ((fovea-socket (fovea-test-serve "SSH-2.0-OpenSSH\r\n")))
      (fovea-test-error "hung up" (fovea-query "todo:TODO")))
    (let (said)
      (should-not fovea--daemon)
      (fovea--ask "status" nil (lambda (_answer failure) (setq said failure)))
      (should (string-match-p "no daemon runs" said)))))

(defun fovea-test-emacs (init &rest words)
  "Run an Emacs that reads INIT, Lisp in a string, and return what it says.
WORDS are more words of its command line."
  (let ((file (expand-file-name "init.el" fovea-test-folder)))
    (with-temp-file file
      (insert (format "(setq load-path (cons %S load-path))\n(require 'fovea)\n"
                      (file-name-directory (locate-library "fovea.el")))
              init))
    (with-temp-buffer
      (apply #'call-process (expand-file-name invocation-name invocation-directory) nil t nil
             "-Q" "--batch" "-l" file words)
      (buffer-string))))

(ert-deftest fovea-test-start ()
  "A daemon starts in the background; a key ends the wait for it, and not its start."
  (fovea-test-with
    (let ((gate (expand-file-name "gate" fovea-test-folder))
          (slow (expand-file-name "slow" fovea-test-folder)))
      (with-temp-file slow
        (insert (format "#!/bin/sh\nwhile [ ! -e %s ]; do sleep 0.02; done\nexec %s \"$@\"\n"
                        gate fovea-program)))
      (set-file-modes slow #o700)
      (let ((fovea-program slow))
        (fovea-mode 1)
        (should-not fovea--daemon)
        (let ((unread-command-events (list ?x)))
          (fovea-test-error "still starts" (fovea-today)))
        (should-not fovea--daemon)
        (with-temp-file gate)
        (fovea-test-until "the stream" (lambda () fovea--stream-open))
        (fovea-today)
        (should (string-search "Proposals that wait" (buffer-string)))))))

(ert-deftest fovea-test-init ()
  "An init file with settings that cannot work is read to its end, with one line said."
  (fovea-test-with
    (dolist (broken '("(setq fovea-program nil)" "(setq fovea-program \"/nowhere/fovea\")"
                      "(setq fovea-memex \"/nowhere\")" "(setq fovea-socket \"/nowhere\")"
                      "(setenv \"HOME\" \"/nowhere\")" "(setq exec-path nil)"
                      "(setq fovea-memex 7)" "(setq fovea-delay \"0.2\")" "(setq fovea-timeout nil)"
                      "(setq fovea-socket \"/nowhere\" global-mode-string \"time\")"
                      "(defalias 'message #'ignore) (setq fovea-socket 7)"))
      (let ((said (fovea-test-emacs
                   (concat broken "(fovea-mode 1)
                            (let ((n 0)) (while (and (< (setq n (1+ n)) 500) fovea--finding)
                                           (accept-process-output nil 0.02)))
                            (princ (format \"the end %s\" fovea-mode))"))))
        (should (string-match-p "the end t" said))
        (should (<= (length (split-string said "\n" t)) 2))
        (when (string-match "\\`(setq \\(fovea-[^ ]+\\) \\(7\\|nil\\|\"0.2\"\\))" broken)
          (should (string-search (format "`%s' cannot be %s; set it again" (match-string 1 broken) (match-string 2 broken))
                                 said)))))
    (let ((fovea-timeout "long"))
      (fovea-test-error "`fovea-timeout' cannot be \"long\"" (fovea-today)))))

(ert-deftest fovea-test-memex ()
  "A relative memex is one of the home, and an empty one is none."
  (fovea-test-with
    (with-temp-buffer
      (setq default-directory "/ssh:nowhere.invalid:/")
      (let ((fovea-memex "nowhere"))
        (fovea-test-error "home/nowhere: no such folder" (fovea-query "todo:TODO")))
      (let ((fovea-memex ""))
        (fovea--connect)
        (should (equal (plist-get fovea--daemon :memex)
                       (file-name-as-directory (file-truename (getenv "FOVEA_MEMEX")))))))))

(ert-deftest fovea-test-warning ()
  "What the daemon warns of is shown, once."
  (fovea-test-with
    (let* ((socket (fovea-test-serve "HTTP/1.1 200 OK\r\nFovea-Warning: \"of another version \\u00fc\"\r\nFovea-Warning: \"two\"\r\nContent-Length: 2\r\n\r\n{}"))
           (fovea--daemon (list :socket socket :memex "/" :state "/")) (said nil))
      (cl-letf (((symbol-function 'message) (lambda (&rest words) (push (apply #'format words) said))))
        (fovea--call "status")
        (fovea--call "status")
        (fovea-test-until "the warnings" (lambda () (cdr said)))
        (accept-process-output nil 0.05)
        (should (equal (sort said #'string<) '("Fovea: of another version ü" "Fovea: two")))))))

(ert-deftest fovea-test-timeout ()
  "A daemon that is silent is given up, in the foreground and in the background."
  (fovea-test-with
    (let* ((socket (expand-file-name "silent" fovea-test-folder))
           (fovea-timeout 0.2)
           (fovea--daemon (list :socket socket :memex "/" :state "/"))
           (server (make-network-process :name "silent" :family 'local :server t :service socket
                                         :noquery t :filter #'ignore))
           said)
      (fovea-test-error "no answer within 0.2 seconds" (fovea--call "status"))
      (fovea--ask "status" nil (lambda (_answer failure) (setq said failure)))
      (fovea-test-until "the timeout" (lambda () said))
      (should (string-match-p "no answer within" said))
      (delete-process server))))

(ert-deftest fovea-test-huge ()
  "A huge answer arrives; one beyond the bound ends with a line."
  (fovea-test-with
    (let* ((chunk (concat "80000\r\n" (make-string #x80000 ?x) "\r\n"))
           (socket (fovea-test-serve
                    (append '("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" "1\r\n\"\r\n")
                            (make-list 16 chunk) '("1\r\n\"\r\n" "0\r\n\r\n"))))
           (fovea--daemon (list :socket socket :memex "/" :state "/")))
      (should (= (length (fovea--call "status")) (* 16 #x80000)))
      (let ((fovea-max-answer 1000000))
        (fovea-test-error "more than 1000000 bytes" (fovea--call "status"))))))

(ert-deftest fovea-test-killed ()
  "A killed daemon is started again by the next command, and nothing is lost."
  (fovea-test-with
    (should (= (length (fovea--call "query" '((query . "todo:TODO")))) 1))
    (fovea-test-agent "remember" '((title . "Kept")))
    (let ((pid (alist-get 'pid (let ((p (fovea--send (fovea--connect) "GET" "/v1/hello" nil nil nil)))
                                 (car (fovea--wait p))))))
      (signal-process pid 9)
      (fovea-test-until "the end of the daemon"
                        (lambda () (not (fovea--open (plist-get fovea--daemon :socket) nil nil)))))
    (let (said)
      (fovea--ask "status" nil (lambda (_answer failure) (setq said failure)))
      (should (string-match-p "no daemon runs" said)))
    (should (fovea--call "search" '((text . "Kept"))))))

(ert-deftest fovea-test-errors ()
  "An error of the daemon is its first line."
  (fovea-test-with
    (fovea-test-error "no such node" (fovea--call "show" '((id . "nothing-here"))))
    (fovea-test-error "unknown predicate" (fovea-query "nonsense:x"))
    (fovea-test-error "not Unicode" (fovea-query (string #x3fff80)))))

;;;; Search

(ert-deftest fovea-test-search ()
  "The preview follows the newest text; RET goes to the heading; no byte changes."
  (fovea-test-with
    (fovea-test-visit "garden.org")
    (fovea--connect)
    (fovea-test-untouched
      (fovea--search-update "slow")
      (fovea--search-update "zebrawood")
      (fovea-test-until "the preview" (lambda () (equal fovea--search-text "zebrawood")))
      (with-current-buffer "*fovea search*"
        (should (equal (alist-get 'title (tabulated-list-get-id)) "Beech"))
        (should (string-search "zebrawood" (buffer-string))))
      ;; a word that is being typed, and what a query would take for a predicate
      (pcase-dolist (`(,text ,title) '(("zebra" "Beech") ("slo tre" "Oak") ("wood: \"qu\\" nil) ("zebrawood" "Beech")))
        (fovea--search-update text)
        (fovea-test-until "the preview" (lambda () (equal fovea--search-text text)))
        (with-current-buffer "*fovea search*"
          (should (equal (alist-get 'title (tabulated-list-get-id)) title))))
      (narrow-to-region (point-min) (1+ (point-min)))
      (execute-kbd-macro (kbd "M-x fovea-search RET zebrawoo RET"))
      (should (equal (buffer-name (window-buffer)) "garden.org"))
      (with-current-buffer "garden.org"
        (should (looking-at-p "\\* Beech"))
        (widen)))
    (fovea-test-error "no note has" (execute-kbd-macro (kbd "M-x fovea-search RET qqqqxxzz RET")))
    (fovea--search-show "100%" nil)
    (should (equal (buffer-local-value 'mode-line-process (get-buffer "*fovea search*"))
                   ": 0 for \"100%%\""))))

(ert-deftest fovea-test-seek ()
  "A heading is found by its id, by its line, or where its title went."
  (fovea-test-with
    (fovea-test-visit "garden.org")
    (goto-char (point-min))
    (insert "* New\n")
    (fovea--seek "beech" 4 "Beech")
    (should (looking-at-p "\\* Beech"))
    (fovea--seek "~abc" 2 "Oak")
    (should (looking-at-p "\\* TODO Oak"))
    (fovea--seek nil 999 nil)
    (should (eobp))
    (fovea--call "status")
    (fovea-test-error "not there any more" (fovea-visit '((path . "gone.org") (line . 1))))))

(ert-deftest fovea-test-query ()
  "A query is a table, which is filled again and leads to its notes."
  (fovea-test-with
    (fovea-query "todo:TODO")
    (should (derived-mode-p 'fovea-table-mode))
    (should (string-match-p "TODO +Oak +garden.org:2" (buffer-string)))
    (fovea--call "edit" '((id . "beech") (todo . "TODO")))
    (revert-buffer)
    (should (string-match-p "TODO +Beech" (buffer-string)))
    (fovea-table-visit)
    (should (looking-at-p "\\* TODO Oak"))))

;;;; Point

(ert-deftest fovea-test-reference ()
  "The note at point is named whatever the buffer is called, and however much of it is seen."
  (fovea-test-with
    (fovea--call "status")
    (fovea-test-visit "garden.org" "quick")
    (should (equal (fovea--here) "garden.org:4"))
    (rename-buffer "other name")
    (setq buffer-read-only t)
    (should (equal (fovea--here) "garden.org:4"))
    (narrow-to-region (line-beginning-position) (line-end-position))
    (should (equal (fovea--here) "garden.org:4"))
    (with-current-buffer (make-indirect-buffer (current-buffer) "indirect" t)
      (should (equal (fovea--here) "garden.org:4")))
    (widen)
    (goto-char (point-min))
    (should (equal (fovea--here) "garden.org"))
    (setq buffer-read-only nil)
    (insert "\n")
    (search-forward "slow")
    (fovea-test-error "save this buffer first" (fovea--here))
    (search-forward "quick")
    (should (equal (fovea--here) "beech"))
    (with-temp-buffer (fovea-test-error "visits no file" (fovea--here)))
    (with-temp-buffer
      (setq buffer-file-name "/ssh:nowhere.invalid:/garden.org")
      (fovea-test-error "not in the memex" (fovea--here))
      (set-buffer-modified-p nil)
      (setq buffer-file-name nil))))

(ert-deftest fovea-test-point ()
  "The focus of an agent follows point."
  (fovea-test-with
    (fovea-test-error "set .fovea-agent" (fovea-point-mode 1))
    (should-not fovea-point-mode)
    (fovea-test-error "set .fovea-agent" (fovea-point-update))
    (let ((fovea-agent "ada") (asked nil) (fovea--point-last nil))
      (fovea--connect)
      (fovea-test-visit "garden.org" "quick")
      (fovea-test-untouched
        (fovea-point-update)
        (fovea-point-mode 1)
        (cl-letf* ((ask (symbol-function 'fovea--ask))
                   ((symbol-function 'fovea--ask)
                    (lambda (operation request done &optional headers)
                      (funcall ask operation request
                               (lambda (answer failure)
                                 (push (or failure (alist-get 'focus answer)) asked)
                                 (funcall done answer failure))
                               headers))))
          (fovea--point)
          (fovea--point)
          (fovea-test-until "the focus" (lambda () asked))
          (should (equal asked '("beech"))))
        (should (string-search "zebrawood"
                               (alist-get 'text (fovea--call "context" '((budget . 400))
                                                             (fovea--agent-headers)))))))))

;;;; Windows

(ert-deftest fovea-test-window ()
  "A window of a heading, a region or a question; each line of it has a reason and a fate."
  (fovea-test-with
    (fovea-test-visit "garden.org" "quick")
    (fovea-test-untouched
      (fovea-window)
      (fovea-test-until "the window" (lambda () (get-buffer "*fovea window*"))))
    (with-current-buffer "*fovea window*"
      (should (string-search "zebrawood" (buffer-string)))
      (should buffer-read-only)
      (goto-char (point-min))
      (search-forward "zebrawood")
      (should (string-match-p "\\`Beech (full, [0-9]+ tokens, garden.org:4): .+; unchanged since then\\'" (fovea-why)))
      (fovea-test-agent "edit" '((id . "beech") (append . "It grew.")))
      (should (string-match-p "since then changed by ada on .*(commit [0-9]+: " (fovea-why)))
      (save-current-buffer
        (save-window-excursion
          (fovea-window-visit)
          (should (looking-at-p "\\* Beech"))))
      (fovea--call "forget" '((id . "beech")))
      (goto-char (point-min))
      (search-forward "zebrawood")
      (should (string-match-p "since then gone" (fovea-why)))
      (goto-char (point-min))
      (fovea-test-error "of no note" (fovea-why)))
    (kill-buffer "*fovea window*")
    (fovea-window-question "Größe" t)
    (fovea-test-until "the kill ring" (lambda () kill-ring))
    (should (string-search "Größe und Maß" (car kill-ring)))
    (with-temp-buffer
      (insert "which tree is slow")
      (transient-mark-mode 1)
      (set-mark (point-min))
      (activate-mark)
      (setq kill-ring nil)
      (fovea-window t)
      (fovea-test-until "the kill ring" (lambda () kill-ring))
      (should (string-search "A slow tree" (car kill-ring))))
    (with-temp-buffer
      (insert (car kill-ring))
      (goto-char (point-min))
      (search-forward "A slow tree")
      (should (string-match-p "not made here; last changed by file" (fovea-why))))))

;;;; Today

(defun fovea-test-at (property)
  "Go to the first line of *fovea today* with PROPERTY."
  (set-buffer "*fovea today*")
  (goto-char (point-min))
  (should (text-property-search-forward property))
  (forward-line -1)
  (should (get-text-property (point) property)))

(ert-deftest fovea-test-today ()
  "Proposals are seen, edited, accepted and rejected; work is taken back after a dry run."
  (fovea-test-with
    (fovea-test-agent "edit" '((id . "beech") (append . "Ada was here.")))
    (dolist (title '("First" "Second"))
      (fovea-test-agent "remember" `((title . ,title) (under . "reviewed/x.org") (body . "Words of ada."))))
    (fovea-test-agent "context" '((question . "What of the zebrawood?") (budget . 300)))
    (fovea-today)
    (should (string-match-p "ada: [0-9]+ tokens for What of the zebrawood" (buffer-string)))
    (save-window-excursion
      (fovea-test-at 'fovea-given)
      (fovea-today-show)
      (set-buffer "*fovea window*")
      (search-forward "zebrawood")
      (should (string-match-p "\\`garden.org (full, [0-9]+ tokens); unchanged since then" (fovea-why))))
    (set-buffer "*fovea today*")
    (should (string-match-p "ada remember: First (reviewed/x.org)" (buffer-string)))
    (should (string-match-p "ada: 1 commits" (buffer-string)))
    (fovea-test-at 'fovea-proposal)
    (save-window-excursion
      (fovea-today-show)
      (should (string-search "Words of ada." (buffer-string))))
    ;; take back
    (fovea-test-at 'fovea-work)
    (let (shown)
      (cl-letf (((symbol-function 'yes-or-no-p)
                 (lambda (&rest _) (setq shown (with-current-buffer "*fovea take back*" (buffer-string))) nil)))
        (fovea-test-error "nothing was changed" (fovea-today-take-back)))
      (should (string-match-p "writes +garden.org" shown))
      (should (string-match-p "changed: Beech (garden.org)" shown)))
    (should (string-search "Ada was here." (fovea-test-read "garden.org")))
    (fovea-test-at 'fovea-work)
    (cl-letf (((symbol-function 'yes-or-no-p)
               (lambda (&rest _) (fovea--call "edit" '((id . "Oak") (todo . "DONE"))))))
      (fovea-test-error "came meanwhile" (fovea-today-take-back)))
    (should (string-search "Ada was here." (fovea-test-read "garden.org")))
    (fovea--call "edit" '((id . "Oak") (todo . "TODO")))
    (fovea-test-at 'fovea-work)
    (cl-letf (((symbol-function 'yes-or-no-p) #'always))
      (fovea-today-take-back))
    (should (equal (fovea-test-read "garden.org") fovea-test-garden))
    ;; edit
    (fovea-test-at 'fovea-proposal)
    (let ((ediff-window-setup-function #'ediff-setup-windows-plain) (inhibit-message t) edited)
      (save-window-excursion
        (fovea-today-edit)
        (setq edited (seq-find (lambda (b) (string-prefix-p "*fovea edit" (buffer-name b))) (buffer-list)))
        (set-buffer edited)
        (should (equal (buffer-string) "Words of ada."))
        (erase-buffer)
        (insert "Words of the owner.")
        (fovea-test-at 'fovea-proposal)
        (fovea-today-edit)
        (set-buffer edited)
        (should (equal (buffer-string) "Words of the owner."))
        (fovea-edit-finish)))
    (fovea-test-at 'fovea-proposal)
    (fovea-today-accept)
    (should (string-search "Words of the owner." (fovea-test-read "reviewed/x.org")))
    (fovea-test-at 'fovea-proposal)
    (fovea-today-reject "not now")
    (should (string-match-p "Proposals that wait\n  none" (buffer-string)))
    (should-not (string-search "Second" (fovea-test-read "reviewed/x.org")))
    ;; edit of what is to be appended: the note stays
    (fovea-test-agent "edit" '((id . "First") (append . "Appended by ada.")))
    (set-buffer "*fovea today*")
    (revert-buffer)
    (fovea-test-at 'fovea-proposal)
    (let ((ediff-window-setup-function #'ediff-setup-windows-plain) (inhibit-message t))
      (save-window-excursion
        (fovea-today-edit)
        (set-buffer (seq-find (lambda (b) (string-prefix-p "*fovea edit" (buffer-name b))) (buffer-list)))
        (should (equal (buffer-string) "Appended by ada."))
        (erase-buffer)
        (insert "Appended by the owner.")
        (fovea-edit-finish)))
    (fovea-test-at 'fovea-proposal)
    (fovea-today-accept)
    (should (string-match-p "Words of the owner\\.\n+Appended by the owner\\." (fovea-test-read "reviewed/x.org")))
    (set-buffer "*fovea today*")
    (fovea-today-seen)
    (should (string-match-p "Written by agents since you looked\n  nothing" (buffer-string)))
    (should (string-match-p "Given to agents since you looked\n  nothing" (buffer-string)))
    ;; what an agent was given in a session of another name
    (dolist (ask '(("edit" (id . "beech") (append . "In a session."))
                   ("context" (question . "What is slow?") (budget . 300))))
      (fovea--call (car ask) (cdr ask) '(("Fovea-Agent" . "ada") ("Fovea-Session" . "talk"))))
    (revert-buffer)
    (should (string-match-p "ada: 1 commits, session talk" (buffer-string)))
    (should (string-match-p "ada: [0-9]+ tokens for What is slow" (buffer-string)))
    (fovea-test-at 'fovea-given)
    (save-window-excursion
      (fovea-today-show)
      (should (string-search "A slow tree" (with-current-buffer "*fovea window*" (buffer-string)))))))

;;;; History

(ert-deftest fovea-test-history ()
  "Log, diff, blame and versions of the heading at point."
  (fovea-test-with
    (fovea--call "status")
    (fovea-test-visit "garden.org" "quick")
    (fovea-test-error "nothing is older than commit 1" (fovea-diff))
    (fovea-test-error "nothing is older than commit 1" (fovea-commit 1))
    (fovea-test-error "no such node" (fovea--show-version "nothing-here"))
    (kill-buffer)
    (fovea-test-agent "edit" '((id . "beech") (append . "First addition.")))
    (fovea-test-agent "edit" '((id . "beech") (append . "Second addition.")))
    (dolist (command '(fovea-log fovea-diff fovea-blame fovea-versions))
      (fovea-test-visit "garden.org" "quick")
      (fovea-test-untouched (save-window-excursion (funcall command))))
    (with-current-buffer "*fovea log*"
      (should (= (length tabulated-list-entries) 3))
      (save-window-excursion (fovea-table-visit)
                             (should (string-match-p "^\\+Second addition" (buffer-string)))))
    (with-current-buffer "*fovea diff*"
      (should (derived-mode-p 'diff-mode))
      (should (string-match-p "^\\+Second addition" (buffer-string)))
      (should-not (string-match-p "^\\+First addition" (buffer-string))))
    (with-current-buffer "*fovea blame*"
      (should (string-match-p "ada +[0-9]+ +Second addition" (buffer-string)))
      (should (string-match-p "file +[0-9]+ +A quick one" (buffer-string))))
    (with-current-buffer "*fovea version*"
      (should (string-search "Second addition." (buffer-string)))
      (fovea-test-error "newest" (fovea-version-newer))
      (fovea-version-older)
      (should-not (string-search "Second addition." (buffer-string)))
      (should (string-search "First addition." (buffer-string)))
      (fovea-version-older)
      (should-not (string-search "First addition." (buffer-string)))
      (fovea-test-error "oldest" (fovea-version-older))
      (save-window-excursion
        (fovea-diff)
        (should (string-match-p "^\\+First addition" (buffer-string))))
      (fovea-version-newer)
      (should (string-search "First addition." (buffer-string)))
      ;; restore
      (let ((now (fovea-test-read "garden.org")) shown)
        (cl-letf (((symbol-function 'yes-or-no-p)
                   (lambda (&rest _) (setq shown (with-current-buffer "*fovea restore*" (buffer-string))) nil)))
          (fovea-test-error "nothing was changed" (call-interactively #'fovea-restore)))
        (should (string-match-p "changed: Beech (garden.org)" shown))
        (should (equal (fovea-test-read "garden.org") now))
        (cl-letf (((symbol-function 'yes-or-no-p)
                   (lambda (&rest _) (fovea--call "edit" '((id . "beech") (append . "Meanwhile."))))))
          (fovea-test-error "changed meanwhile" (call-interactively #'fovea-restore)))
        (should (string-search "Meanwhile." (fovea-test-read "garden.org")))
        (cl-letf (((symbol-function 'yes-or-no-p) #'always))
          (call-interactively #'fovea-restore))
        (should (equal (fovea-test-read "garden.org")
                       (string-replace "Second addition.\n" "" now)))
        (fovea-test-error "is as it was then" (call-interactively #'fovea-restore))))))

;;;; Capture and settings

(ert-deftest fovea-test-capture ()
  "A note is written in a buffer and remembered; what fails stays in the buffer."
  (fovea-test-with
    (fovea-test-visit "garden.org" "* Beech")
    (fovea-test-untouched (fovea-capture "From the garden."))
    (should (string-match-p "\\`\\* \nFrom the garden\\.\n\\[\\[file:.*/garden\\.org::4\\]\\]\\'" (buffer-string)))
    (fovea-test-error "to be a headline" (fovea-edit-finish))
    (goto-char 3)
    (insert "TODO [#A] Water the beech :garden:")
    (let ((fovea--daemon nil) (fovea-socket "/nowhere"))
      (fovea-test-error "no daemon runs" (fovea-edit-finish)))
    (should (string-search "Water the beech" (buffer-string)))
    (fovea-capture)                     ; again: nothing written is lost
    (should (string-search "Water the beech" (buffer-string)))
    (let ((said (fovea-edit-finish)))
      (should (string-match "remembered in \\(.*\\.org\\):[0-9]+" said))
      (should (string-match-p "^\\* TODO \\[#A\\] Water the beech +:garden:\n\\(:PROPERTIES:\n\\(?::.*\n\\)*:END:\n\\)?From the garden\\.\n\\[\\[file:"
                              (fovea-test-read (match-string 1 said)))))
    (should-not (get-buffer "*fovea capture*"))
    (with-temp-buffer
      (fovea-edit-mode)
      (fovea-test-error "sent nowhere" (fovea-edit-finish)))))

(ert-deftest fovea-test-capture-link ()
  "The link to what is captured is right in a narrowed buffer, and in an indirect one."
  (fovea-test-with
    (fovea-test-visit "garden.org" "quick")
    (narrow-to-region (line-beginning-position) (line-end-position))
    (dolist (buffer (list (current-buffer) (make-indirect-buffer (current-buffer) "indirect" t)))
      (with-current-buffer buffer
        (fovea-capture "Text"))
      (with-current-buffer "*fovea capture*"
        (should (string-match-p "/garden\\.org::8\\]\\]" (buffer-string)))
        (set-buffer-modified-p nil)
        (kill-buffer)))))

(ert-deftest fovea-test-org-capture ()
  "A template of `org-capture' writes behind what was remembered meanwhile."
  (fovea-test-with
    (fovea--call "remember" '((title . "First")))
    (fovea-test-visit "inbox.org")
    (narrow-to-region (point-min) (1+ (point-min)))
    (fovea--call "remember" '((title . "Second")))
    (let ((org-capture-templates '(("m" "Memory" entry (file fovea-inbox) "* Captured %?"))))
      (org-capture nil "m")
      (insert "now")
      (org-capture-finalize))
    (should (buffer-narrowed-p))
    (should (string-match-p "\\`\\* First\\(.\\|\n\\)*\n\\* Second\\(.\\|\n\\)*\n\\* Captured now\n"
                            (fovea-test-read "inbox.org")))
    (fovea-test-until "a commit" (lambda () (fovea--call "query" '((query . "Captured")))))))

(ert-deftest fovea-test-settings ()
  "Fovea has the settings of Org of this Emacs, once they are saved."
  (fovea-test-with
    (with-temp-file (fovea-test-file "keys.org") (insert "* NEXT Sow :@home:\n* TODO Reap\n[[gh:a/b]]\n"))
    (let ((org-todo-keywords '((sequence "TODO(t)" "NEXT(n!)" "|" "DONE(d)") (type "BUG" "|" "FIXED")))
          (org-tag-persistent-alist nil)
          (org-tag-alist '((:startgroup) ("@work" . ?w) ("@home" . ?h) (:endgroup) (:newline) ("äöü")))
          (org-log-done 'time) (org-log-repeat 'note) (org-log-reschedule nil)
          (org-log-into-drawer "LOG") (org-archive-location "archive/%s_archive::")
          (org-link-abbrev-alist '(("gh" . "https://example.org/\"%s\"") ("fn" . ignore)))
          (file (expand-file-name "config/fovea/config.toml" fovea-test-folder)))
      (with-temp-buffer
        (insert-file-contents file)
        (goto-char (point-max))
        (insert "\n[org] # mine\ntodo = [\n \"OLD | DONE\",\n]\n[org.links]\na = \"b\"\n\n[record]\nwindows = true\n")
        (write-region nil nil file nil 'quiet))
      (should (= 0 (length (fovea--call "query" '((query . "todo:NEXT"))))))
      (fovea-send-settings)
      (should (buffer-modified-p))
      (let ((text (buffer-string)))
        (should (string-search "[grants.ada]" text))
        (should (string-suffix-p "[record]\nwindows = true\n" text))
        (should-not (string-search "OLD" text))
        (should-not (string-search "org.links" text))
        (fovea-send-settings)           ; again changes nothing more
        (should (equal text (buffer-string))))
      (dolist (line '("todo = [\"TODO(t) NEXT(n!) | DONE(d)\", \"BUG | FIXED\"]"
                      "tags = [\"{ @work(w) @home(h) }  äöü\"]" "log_done = \"time\"" "log_repeat = \"note\""
                      "log_reschedule = false" "log_into_drawer = \"LOG\"" "archive = \"archive/%s_archive::\""
                      "links = { \"gh\" = \"https://example.org/\\\"%s\\\"\" }" "# the link fn is made by a function"))
        (should (string-search (concat "\n" line "\n") (buffer-string))))
      (let ((inhibit-message t)) (save-buffer))
      (fovea-test-until "the new keyword" (lambda () (fovea--call "query" '((query . "todo:NEXT")))))
      (should-not (alist-get 'configuration (fovea--call "status"))))))

;;;; Other packages

(ert-deftest fovea-test-gptel ()
  "The tools for gptel ask as an agent.  gptel is a stub here, which keeps its tools."
  (fovea-test-with
    (let (tools said)
      (cl-letf (((symbol-function 'gptel-make-tool) (lambda (&rest slots) (push slots tools))))
        (provide 'gptel))
      (setq features (delq 'gptel features))
      (should (= (length tools) 2))
      (cl-flet ((ask (name &rest words)
                  (let ((tool (seq-find (lambda (tool) (equal (plist-get tool :name) name)) tools)))
                    (setq said nil)
                    (should (plist-get tool :async))
                    (apply (plist-get tool :function) (lambda (answer) (setq said answer)) words)
                    (fovea-test-until "the tool" (lambda () said)))))
        (should (string-search "A slow tree" (ask "fovea_context" "Which tree is slow?")))
        (should (string-match-p "It is in agents/gptel/.*\\.org" (ask "fovea_remember" "Learned" "Of gptel.")))
        (should (string-match-p "\\`Error: " (ask "fovea_remember" "" "")))
        (should (equal (alist-get 'author (car (fovea--call "log" '((limit . 1))))) "gptel"))))))

(ert-deftest fovea-test-consult ()
  "The real consult searches while one types, previews without a visit, and goes to the note."
  :tags '(packages)
  (skip-unless (and (locate-library "consult") (locate-library "vertico")))
  (require 'consult)
  (require 'vertico)
  (fovea-test-with
    (let ((preview nil) (buffers nil))
      (vertico-mode 1)
      (unwind-protect
          (minibuffer-with-setup-hook
              (lambda ()
                (local-set-key (kbd "<f5>")
                               (lambda () (interactive)
                                 (fovea-test-until "the preview" (lambda () (get-buffer "*fovea note*")))
                                 (setq preview (with-current-buffer "*fovea note*" (buffer-string))
                                       buffers (delq nil (mapcar #'buffer-file-name (buffer-list)))))))
            (execute-kbd-macro (kbd "M-x fovea-consult RET zebrawood <f5> RET")))
        (vertico-mode -1))
      (should (string-search "zebrawood" preview))
      (should-not buffers)
      (should (equal (buffer-name (window-buffer)) "garden.org"))
      (with-current-buffer "garden.org" (should (looking-at-p "\\* Beech"))))))

(declare-function vertico-mode "ext:vertico" (&optional arg))
(declare-function embark-dwim "ext:embark" (&optional arg))
(declare-function embark--targets "ext:embark" ())

(ert-deftest fovea-test-embark ()
  "The real embark acts on the note of a line of a table."
  :tags '(packages)
  (skip-unless (locate-library "embark"))
  (require 'embark)
  (fovea-test-with
    (fovea-query "todo:TODO")
    (let ((target (car (embark--targets))))
      (should (eq (plist-get target :type) 'fovea-note))
      (should (equal (plist-get target :target) "Oak  garden.org:2")))
    (save-window-excursion
      (embark-dwim)                     ; RET
      (with-current-buffer (window-buffer) (should (looking-at-p "\\* TODO Oak"))))
    (fovea-embark-link "Oak  garden.org:2")
    (should (string-match-p "\\`\\[\\[id:.*\\]\\[Oak\\]\\]\\'" (car kill-ring)))
    (fovea-embark-versions "Oak  garden.org:2")
    (should (string-search "A slow tree" (with-current-buffer "*fovea version*" (buffer-string))))
    (fovea-embark-window "Oak  garden.org:2")
    (fovea-test-until "the window" (lambda () (get-buffer "*fovea window*")))
    (fovea-test-error "no note" (fovea-embark-visit "Elm  garden.org:99"))))

;;;; What changes while you work

(ert-deftest fovea-test-refresh ()
  "An agent's write appears in unmodified buffers with point, undo and narrowing kept."
  (fovea-test-with
    (with-temp-file (fovea-test-file "modified.org") (insert "* Draft\n:PROPERTIES:\n:ID: draft\n:END:\n"))
    (with-temp-file (fovea-test-file "locked.org") (insert "* Still\n:PROPERTIES:\n:ID: still\n:END:\n"))
    (fovea-mode 1)
    (fovea-test-until "the stream" (lambda () fovea--stream-open))
    (let ((garden (fovea-test-visit "garden.org")) (modified (fovea-test-visit "modified.org"))
          (readonly (fovea-test-visit "locked.org")) indirect)
      (setq buffer-read-only t)
      (set-buffer garden)
      (buffer-enable-undo)
      (goto-char (point-max))
      (insert "mine\n")
      (undo-boundary)
      (let ((inhibit-message t)) (save-buffer))
      (fovea-test-until "the end of the hold" (lambda () (null fovea--telling)))
      (setq indirect (make-indirect-buffer garden "indirect" t))
      (goto-char (point-min))
      (search-forward "* Beech")
      (narrow-to-region (line-beginning-position) (save-excursion (search-forward "beside it.\n")))
      (search-forward "quick")
      (dolist (id '("beech" "Oak" "still"))
        (fovea--call "edit" `((id . ,id) (append . "Ada was here.")) '(("Fovea-Agent" . "ada") ("Fovea-Role" . "owner"))))
      (with-current-buffer modified (goto-char (point-max)) (insert "unsaved"))
      (with-temp-file (fovea-test-file "modified.org") (insert "* Other\n"))
      (fovea-test-until "the text in the buffers"
                        (lambda () (and (with-current-buffer readonly (string-search "Ada was here." (buffer-string)))
                                        (save-restriction (widen)
                                                          (= (how-many "Ada was here." (point-min)) 2)))))
      (should (looking-back "A quick" (line-beginning-position)))
      (should (buffer-narrowed-p))
      (should (string-prefix-p "* Beech" (buffer-string)))
      (should (string-search "Ada was here." (buffer-string)))
      (should-not (string-search "Oak" (buffer-string)))
      (should-not (buffer-modified-p))
      (with-current-buffer readonly (should buffer-read-only) (should-not (buffer-modified-p)))
      (with-current-buffer modified
        (should (buffer-modified-p))
        (should (string-match-p "Draft[^z-a]*unsaved" (buffer-string))))
      (should (string-search "Ada was here." (with-current-buffer indirect (save-restriction (widen) (buffer-string)))))
      (widen)
      (should (consp buffer-undo-list))
      (let ((last-command nil)) (undo-start) (undo-more 1))
      (while (and (string-search "Ada was here." (buffer-string)) (consp pending-undo-list)) (undo-more 1))
      (while (and (string-search "mine" (buffer-string)) (consp pending-undo-list)) (undo-more 1))
      (should (equal (buffer-string) fovea-test-garden)))))

(ert-deftest fovea-test-refresh-left ()
  "A buffer whose file could ask for a key, is on another machine or is gone is left alone."
  (fovea-test-with
    (fovea--call "status")
    (let ((file-name-handler-alist (seq-remove (lambda (handler) (eq (cdr handler) 'epa-file-handler))
                                               file-name-handler-alist)))
      (dolist (path '("plain.org" "secret.org.gpg" "secret.org.age" "gone.org"))
        (with-temp-file (fovea-test-file path) (insert "* Old\n"))
        (with-current-buffer (find-file-noselect (fovea-test-file path))
          (if (equal path "gone.org") (delete-file (fovea-test-file path))
            (with-temp-file (fovea-test-file path) (insert "* New\n")))
          (should (eq (equal path "plain.org") (and (fovea--stale-p (current-buffer)) t)))
          (fovea--refresh-buffers)
          (should (equal (buffer-string) (if (equal path "plain.org") "* New\n" "* Old\n")))))
      (with-temp-buffer
        (setq buffer-file-name "/ssh:nowhere.invalid:/a.org")
        (should-not (fovea--stale-p (current-buffer)))
        (setq buffer-file-name nil)))))

(ert-deftest fovea-test-looking ()
  "No command that looks changes a byte of a buffer or of a file of the memex."
  (fovea-test-with
    (fovea-test-visit "garden.org" "quick")
    (narrow-to-region (save-excursion (search-backward "* Beech")) (line-end-position))
    (dolist (look (list #'fovea-search (lambda () (fovea-query "todo:TODO")) #'fovea-window #'fovea-log #'fovea-blame
                        #'fovea-versions #'fovea-today (lambda () (fovea-window-question "quick" t))
                        (lambda () (let ((fovea-agent "ada")) (fovea-point-update)))
                        #'fovea-mode #'fovea-menu))
      (with-current-buffer "garden.org"
        (fovea-test-untouched
          (save-window-excursion
            (if (eq look #'fovea-search) (execute-kbd-macro (kbd "M-x fovea-search RET zebrawood RET"))
              (funcall look))))))
    (fovea-test-until "the window" (lambda () (get-buffer "*fovea window*")))
    (with-current-buffer "garden.org"
      (should-not (buffer-modified-p))
      (should (equal (fovea-test-read "garden.org") fovea-test-garden)))
    (should (equal (directory-files (expand-file-name "memex" fovea-test-folder) nil "\\`[^.]") '("garden.org")))))

(ert-deftest fovea-test-stream ()
  "Events come, also those that were missed while the daemon was gone; the mode line counts."
  (fovea-test-with
    (let* ((events nil)
           (fovea-event-functions (list (lambda (kind data) (push (cons kind data) events))))
           (has (lambda (title)
                  (lambda ()
                    (seq-find (lambda (e) (and (equal (car e) "commit")
                                               (string-search title (alist-get 'message (cdr e)))))
                              events)))))
      (fovea-mode 1)
      (fovea-test-until "the stream" (lambda () fovea--stream-open))
      (should (memq 'fovea--mode-line global-mode-string))
      (fovea-test-agent "remember" '((title . "Über alles")))
      (fovea-test-until "a commit" (funcall has "Über alles"))
      (fovea-test-agent "remember" '((title . "Proposed") (under . "reviewed/x.org")))
      (fovea-test-until "the mode line" (lambda () (string-search "P1" fovea--mode-line)))
      (with-temp-file (fovea-test-file "two.org") (insert "* Two texts :conflict:\n"))
      (fovea-test-until "the mode line" (lambda () (string-search "C1P1" fovea--mode-line)))
      (fovea-test-agent "message-send" '((to . "owner") (subject . "Look")))
      (fovea-test-until "the mode line" (lambda () (string-search "C1P1M1" fovea--mode-line)))
      (with-temp-file (fovea-test-file "core.org") (insert "* Rule\n"))
      (fovea-test-until "the mode line" (lambda () (string-search "L1C1P1M1" fovea--mode-line)))
      (save-window-excursion
        (fovea-today)
        (should (string-match-p "Locked down: core.org" (buffer-string)))
        (fovea-test-at 'fovea-note)
        (should (looking-at-p "Message of ada, .*: Look"))
        (fovea-today-show)
        (should (string-match-p "Look" (buffer-string))))
      (fovea--call "guard-adopt" '((path . "core.org")))
      (fovea-test-until "the mode line" (lambda () (string-search ":C1P1M1" fovea--mode-line)))
      (signal-process (alist-get 'pid (car (fovea--wait (fovea--send (fovea--connect) "GET" "/v1/hello" nil nil nil)))) 9)
      (fovea-test-until "the loss" (lambda () fovea--stream-again))
      (should (string-search "gone" fovea--mode-line))
      (fovea-test-agent "remember" '((title . "Missed")))
      (setq fovea--stream-delay 1)
      (fovea-test-until "what was missed" (funcall has "Missed"))
      (fovea-test-until "the mode line" (lambda () (equal (substring-no-properties fovea--mode-line) " Fovea:C1P1M1")))
      (fovea-mode -1)
      (should-not (memq 'fovea--mode-line global-mode-string))
      (should-not fovea--stream))))

(defmacro fovea-test-ask (&rest body)
  "Return the requests about buffers that BODY makes, oldest first."
  (declare (indent 0) (debug t))
  `(let ((requests nil) (tell (symbol-function 'fovea--tell)))
     (cl-letf (((symbol-function 'fovea--tell)
                (lambda (request failed) (push request requests) (funcall tell request failed))))
       ,@body)
     (nreverse requests)))

(defun fovea-test-write (id)
  "Have ada write to the note ID, in no session; return the error line, if any."
  (let ((fovea--client nil))
    (condition-case err (progn (fovea-test-agent "edit" `((id . ,id) (append . "Of ada."))) nil)
      (user-error (cadr err)))))

(defun fovea-test-writes (id)
  "Wait until ada can write to the note ID."
  (fovea-test-until "the end of a hold" (lambda () (null (fovea-test-write id)))))

(defun fovea-test-held (id name)
  "Wait until ada cannot write to the note ID, for the buffer NAME."
  (fovea-test-until "a hold" (lambda ()
                               (let ((said (fovea-test-write id)))
                                 (and said (string-search (format "buffer \"%s\"" name) said))))))

(ert-deftest fovea-test-reverted ()
  "A hold ends when the buffer is reverted, which starts its major mode again, and stays when that alone starts again."
  (fovea-test-with
    (fovea-mode 1)
    (fovea-test-until "the stream" (lambda () fovea--client))
    (fovea-test-visit "garden.org" "quick")
    (insert " pomegranate")
    (fovea-test-held "beech" "garden.org")
    (funcall major-mode)
    (should-not (fovea-test-ask (fovea--hold)))
    (fovea-test-held "beech" "garden.org")
    (let ((inhibit-message t)) (revert-buffer t t))
    (fovea-test-writes "beech")))

(ert-deftest fovea-test-unsaved ()
  "Unsaved text is seen by its owner alone, and nobody else writes its file."
  (fovea-test-with
    (with-temp-file (fovea-test-file "other.org") (insert "* Else\n:PROPERTIES:\n:ID: else\n:END:\n"))
    (fovea-mode 1)
    (fovea-test-until "the stream" (lambda () fovea--client))
    (let ((garden (fovea-test-visit "garden.org" "quick")))
      ;; held before the first change is there
      (should (equal (mapcar (lambda (r) (alist-get 'text r 'none)) (fovea-test-ask (insert " pomegranate")))
                     '(none)))
      (should-not (string-search "pomegranate" (fovea-test-read "garden.org")))
      (fovea-test-held "beech" "garden.org")
      ;; seen by the owner, narrowed or not, and once sent not again
      (narrow-to-region (line-beginning-position) (line-end-position))
      (fovea-test-untouched
        (should (= (length (fovea-test-ask (fovea--push-all) (fovea--push-all))) 1)))
      (fovea-test-until "the text" (lambda () (fovea--call "search" '((text . "pomegranate")))))
      (let ((fovea--client nil))
        (should-not (seq-filter (lambda (n) (equal (alist-get 'path n) "garden.org"))
                                (fovea-test-agent "search" '((text . "pomegranate") (min_similarity . 0.5))))))
      (goto-char (point-min))
      (fovea-test-untouched
        (fovea-window)
        (fovea-test-until "the window" (lambda () (get-buffer "*fovea window*"))))
      (should (string-search "pomegranate" (with-current-buffer "*fovea window*" (buffer-string))))
      ;; a heading that was never saved has a line
      (widen)
      (goto-char (point-max))
      (insert "* Quince\nYellow.\n")
      (fovea-test-error "save this buffer first" (fovea--here))
      (fovea--push-all)
      (should (equal (fovea--here) (format "garden.org:%d" (- (line-number-at-pos) 2))))
      ;; of an indirect buffer, renamed, and read-only
      (with-current-buffer (make-indirect-buffer garden "indirect" t)
        (should-not (fovea-test-ask (fovea--push-here)))
        (goto-char (point-max))
        (insert "More."))
      (rename-buffer "my garden")
      (setq buffer-read-only t)
      (fovea--push-all)
      (setq buffer-read-only nil)
      (fovea-test-held "beech" "my garden")
      ;; a clone ends, as of `org-capture', and the mode starts anew: held all the same
      (fovea-test-untouched
        (kill-buffer (make-indirect-buffer garden "clone" t))
        (org-mode))
      (fovea-test-held "beech" "my garden")
      ;; the daemon dies: nothing is lost, and the file is held again
      (signal-process (alist-get 'pid (car (fovea--wait (fovea--send (fovea--connect) "GET" "/v1/hello" nil nil nil)))) 9)
      (fovea-test-until "the loss" (lambda () (null fovea--client)))
      (fovea--call "status")
      (setq fovea--stream-delay 1)
      (fovea-test-until "the stream" (lambda () fovea--client))
      (fovea-test-held "beech" "my garden")
      (should (string-search "pomegranate" (buffer-string)))
      ;; saved: held no more, and what the agent writes comes
      (let ((inhibit-message t)) (save-buffer))
      (fovea-test-writes "beech")
      (fovea-test-until "the write" (lambda () (string-search "Of ada." (buffer-string))))
      (should (string-search "pomegranate" (fovea-test-read "garden.org")))
      ;; changed, and undone
      (goto-char (point-max))
      (insert "x")
      (fovea-test-held "beech" "my garden")
      (fovea-test-error "nothing was done.*garden.org .*buffer \"my garden\"" (fovea-restore "seq:1"))
      (delete-char -1)
      (set-buffer-modified-p nil)
      (fovea--push-all)
      (fovea-test-writes "beech")
      ;; reverted, which starts the mode anew
      (fovea-test-until "the write" (lambda () (verify-visited-file-modtime garden)))
      (insert "x")
      (fovea-test-held "beech" "my garden")
      (revert-buffer t t)
      (fovea-test-writes "beech")
      ;; of no file any more
      (fovea-test-until "the write" (lambda () (verify-visited-file-modtime garden)))
      (insert "x")
      (fovea-test-held "beech" "my garden")
      (set-visited-file-name nil t)
      (fovea--push-all)
      (fovea-test-writes "beech")
      (set-visited-file-name (fovea-test-file "garden.org") t)
      (revert-buffer t t)
      (rename-buffer "my garden")
      ;; under another name, and closed
      (insert "y")
      (fovea--push-all)
      (fovea-test-held "beech" "my garden")
      (set-visited-file-name (fovea-test-file "new.org") t)
      (fovea--push-all)
      (fovea-test-writes "beech")
      (fovea-test-visit "other.org" "Else")
      (insert "z")
      (fovea-test-held "else" "other.org")
      (set-buffer-modified-p nil)
      (kill-buffer)
      (fovea-test-writes "else"))))

(ert-deftest fovea-test-unsaved-order ()
  "What is told of buffers arrives in order, one after another, and no error ends that."
  (fovea-test-with
    (let ((fovea--telling nil) (fovea--client "X") (fovea--daemon (list :socket "/" :memex "/m/" :state "/")) sent)
      (cl-letf (((symbol-function 'fovea--ask)
                 (lambda (_operation request done &rest _)
                   (push (cons (cond ((assq 'text request)) ((assq 'modified request)) (t 'let-go)) done) sent))))
        (with-temp-buffer
          (setq buffer-file-name "/m/a.org")
          (add-hook 'first-change-hook #'fovea--hold nil t)
          (insert "one")
          (should (equal (mapcar #'car sent) '((modified . t))))
          (fovea--push-here)
          (set-buffer-modified-p nil)
          (fovea--push-here)            ; saved, while the text has not been sent
          (should (= (length sent) 1))
          (funcall (cdar sent) nil nil)
          (should (equal (caar sent) '(text . "one")))
          (should (= (length sent) 2))
          (funcall (cdar sent) nil "too large") ; is held no more: not tried again
          (should (equal (caar sent) 'let-go))
          (funcall (cdar sent) nil nil)
          (funcall (cdar sent) nil nil) ; once is enough
          (should-not fovea--telling)
          (insert "two")
          (funcall (cdar sent) nil nil)
          (fovea--push-here)
          (funcall (cdar sent) nil "too large")
          (should (equal (caar sent) '(modified . t)))
          (should (= (length sent) 6))
          (funcall (cdar sent) nil nil)
          (should-not fovea--telling)
          (set-buffer-modified-p nil)
          (setq buffer-file-name nil))))))

(ert-deftest fovea-test-unsaved-unsent ()
  "Text that is encrypted, too large, no Unicode or of another place stays in Emacs."
  (fovea-test-with
    (fovea-mode 1)
    (fovea-test-until "the stream" (lambda () fovea--client))
    (let ((text (lambda (path insert)
                  (with-temp-buffer
                    (setq buffer-file-name path)
                    (funcall insert)
                    (prog1 (mapcar (lambda (request) (alist-get 'text request 'none))
                                   (fovea-test-ask (fovea--push-here)
                                                   (accept-process-output nil 0.1)))
                      (set-buffer-modified-p nil)
                      (setq buffer-file-name nil))))))
      (let ((coding-system-for-write 'raw-text) (file-name-handler-alist nil))
        (should (equal (funcall text (fovea-test-file "a.org") (lambda () (insert "open"))) '("open")))
        (should (equal (funcall text (fovea-test-file "a.org.gpg") (lambda () (insert "secret"))) '(none)))
        (should (equal (funcall text (fovea-test-file "a.org.age") (lambda () (insert "secret"))) '(none)))
        (should (equal (funcall text "/elsewhere/a.org" (lambda () (insert "other"))) nil))
        (let ((fovea--push-max 10))
          (should (equal (funcall text (fovea-test-file "b.org") (lambda () (insert "12345678901"))) '(none))))
        (fovea-test-visit "garden.org" "slow")
        (let ((fovea--push-max 10))     ; its lines are those of Emacs alone
          (goto-char (point-min))
          (insert "\n")
          (fovea--push-all)
          (search-forward "slow")
          (fovea-test-error "save this buffer first" (fovea--here)))
        (fovea--push-all)
        (fovea-test-error "save this buffer first" (fovea--here))
        (insert "x")
        (fovea--push-all)
        (should (equal (fovea--here) "garden.org:3"))
        (set-buffer-modified-p nil)
        (fovea-test-until "all that is told" (lambda () (null fovea--telling)))
        ;; the first of two could not be sent
        (should (equal (cdr (funcall text (fovea-test-file "c.org") (lambda () (insert "a" (string #x3fff80)))))
                       '(none))))
      (should-not (funcall text "/ssh:nowhere.invalid:/a.org" (lambda () (insert "remote")))))))

;;;; A session

(defconst fovea-test-session
  '(("M-x fovea-mode RET" "Fovea mode enabled")
    ("M-x fovea-search RET zebrawood RET" "garden.org")
    ("M-x fovea-window RET" "tokens")
    ("M-x fovea-query RET todo:TODO RET" "garden.org:2")
    ("RET" "A slow tree")
    ("M-x fovea-log RET" "What")
    ("C-x b garden.org RET M-x fovea-blame RET" "file +8 A quick one")
    ("C-x b garden.org RET M-x fovea-versions RET" "1 of 1: commit")
    ("M-x fovea-today RET" "Proposals that wait")
    ("M-x fovea-capture RET Water SPC the SPC beech C-c C-c" "remembered in inbox.org")
    ("M-x fovea-menu RET" "focus follows point")
    ("C-g C-x b garden.org RET C-x C-c" ""))
  "Keys of a session, and what the terminal shows after them, as a regular expression.")

(ert-deftest fovea-test-session ()
  "A session of keys in an Emacs on a terminal, with an empty folder ~/.emacs.d."
  (fovea-test-with
    (make-directory (expand-file-name "home/.emacs.d" fovea-test-folder))
    (setenv "TERM" "xterm")
    (let* ((shown "")
           (process-environment (cons "COLUMNS=120" process-environment))
           (process
            (make-process
             :name "session" :connection-type 'pty :noquery t
             :command (list (expand-file-name invocation-name invocation-directory) "-nw" "--no-site-file"
                            "-L" (file-name-directory (locate-library "fovea.el")) "-l" "fovea"
                            "--eval" (format "(setq native-comp-async-report-warnings-errors nil suggest-key-bindings nil
                                                    fovea-program %S)"
                                             fovea-program))
             :filter (lambda (_process string) (setq shown (concat shown string))))))
      (set-process-window-size process 40 120)
      (fovea-test-until "the terminal" (lambda () (string-match-p "scratch" shown)))
      (pcase-dolist (`(,keys ,shows) fovea-test-session)
        (setq shown "")
        (process-send-string process (mapconcat (lambda (key) ; a terminal sends ESC x for M-x
                                                  (if (< key 128) (string key)
                                                    (string ?\e (logand key 127))))
                                                (kbd keys) ""))
        (condition-case nil
            (fovea-test-until "the terminal" (lambda () (string-match-p shows shown)))
          (ert-test-failed (ert-fail (format "after %s the terminal shows %S, not %s" keys shown shows)))))
      (fovea-test-until "its end" (lambda () (not (process-live-p process))))
      (should (equal 0 (process-exit-status process)))
      (should (equal (fovea-test-read "garden.org") fovea-test-garden))
      (should (string-search "* Water the beech" (fovea-test-read "inbox.org"))))))

(ert-deftest fovea-test-menu ()
  "The menu names commands that exist, and no key is bound by loading."
  (should (commandp 'fovea-menu))
  (dolist (command '(fovea-search fovea-query fovea-window fovea-window-question fovea-why fovea-log
                                  fovea-diff fovea-blame fovea-versions fovea-restore fovea-today fovea-capture
                                  fovea-send-settings fovea-consult fovea-point-update
                                  fovea-point-mode fovea-mode))
    (should (commandp command))
    (should-not (where-is-internal command global-map))))

(provide 'fovea-test)
;;; fovea-test.el ends here
