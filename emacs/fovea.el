;;; fovea.el --- Client of Fovea, the live memory of your Org files  -*- lexical-binding: t; -*-

;; Copyright The Fovea Authors
;; SPDX-License-Identifier: Apache-2.0

;; Author: The Fovea Authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: outlines, hypermedia, tools
;; URL: https://github.com/fovea-memory/fovea

;;; Commentary:

;; Fovea holds a folder of Org files as one live, versioned graph, and makes
;; windows of it for language models.  This package asks the Fovea daemon over
;; its Unix socket; it needs the program `fovea' and nothing else.
;;
;; `fovea-menu' shows every command; no key is bound by default.

;;; Code:

(require 'cl-lib)
(require 'hl-line)
(require 'subr-x)
(require 'tabulated-list)
(require 'transient)
(require 'wid-edit)
(eval-when-compile (require 'let-alist) (require 'org) (require 'org-refile))

(declare-function consult--async-refresh-timer "ext:consult" (async &optional delay))
(declare-function consult--async-sink "ext:consult" ())
(declare-function consult--async-split "ext:consult" (async &optional split))
(declare-function consult--async-split-initial "ext:consult" (initial))
(declare-function consult--async-throttle "ext:consult" (async &optional throttle debounce))
(declare-function consult--read "ext:consult" (candidates &rest options))
(declare-function gptel-make-tool "ext:gptel" (&rest slots))
(declare-function org-heading-components "org" ())
(defvar embark-keymap-alist)
(defvar embark-target-finders)

(defgroup fovea nil "The live memory of your Org files." :group 'outlines :prefix "fovea-")

(defcustom fovea-program "fovea" "The program `fovea', by name or path." :type 'string)

(defcustom fovea-memex nil
  "The folder of your notes; with nil the environment and configuration name it."
  :type '(choice (const :tag "Chosen by the program" nil) directory))

(defcustom fovea-socket nil
  "The socket of the daemon; with nil the program finds it."
  :type '(choice (const :tag "Found by the program" nil) file))

(defcustom fovea-start-daemon t
  "Whether a command starts the daemon where none runs." :type 'boolean)

(defcustom fovea-timeout 30 "How many seconds an answer may take." :type 'number)

(defcustom fovea-max-answer (* 64 1024 1024) "How many bytes an answer may have." :type 'natnum)

(defcustom fovea-delay 0.2
  "How many idle seconds pass before the focus and what is unsaved follow." :type 'number)

(defcustom fovea-search-limit 40 "How many notes a search or a query lists." :type 'natnum)

(defcustom fovea-window-budget 4000 "How many tokens a window has." :type 'natnum)

(defcustom fovea-agent nil
  "The agent whose focus follows point, and whose windows are made."
  :type '(choice (const :tag "None" nil) string))

(defvar fovea-event-functions nil
  "Functions called with the kind of each event, such as \"commit\", and its data.")

;;;; Connection

(defconst fovea--protocol 1 "The version of the protocol that this package speaks.")

(defconst fovea--writes '("review-accept" "review-edit" "review-reject" "revert" "restore"
                          "remember" "news-seen")
  "Operations that are asked under a key, so that asking again does nothing twice.")

(defconst fovea--seeing '("search" "query" "show" "context" "event" "buffer-update")
  "Operations that see the unsaved text of buffers.")

(defvar fovea--daemon nil "What is known of the daemon: a plist of :socket, :memex and :state.")

(cl-defstruct (fovea--pending (:constructor fovea--pending-make))
  "An answer that is on its way."
  process (chunks nil) (size 0) (failure nil) (done nil) (timer nil))

(defun fovea--line (text)
  "Return the first line of TEXT, without trailing punctuation that opens a list."
  (string-trim-right (car (split-string (format "%s" text) "\n" nil)) "[ :;]+"))

(defun fovea--collect (process string)
  "Keep STRING, which came from PROCESS, for later."
  (let ((pending (process-get process :fovea)))
    (push string (fovea--pending-chunks pending))
    (when (> (cl-incf (fovea--pending-size pending) (length string)) fovea-max-answer)
      (setf (fovea--pending-failure pending)
            (format "the answer has more than %d bytes; ask for less, or raise `fovea-max-answer'"
                    fovea-max-answer))
      (delete-process process))))

(defun fovea--open (socket filter sentinel)
  "Connect to SOCKET with FILTER and SENTINEL; return nil where nobody listens."
  (let ((default-directory temporary-file-directory))
    (ignore-errors
      (make-network-process :name "fovea" :family 'local :service socket :coding 'binary
                            :noquery t :filter filter :sentinel sentinel))))

(defun fovea--encode (request)
  "Return REQUEST, an alist or a vector, as the bytes of JSON."
  (condition-case nil
      (encode-coding-string (json-serialize request) 'utf-8)
    (error (user-error "Fovea: the request has characters that are not Unicode"))))

(defun fovea--send (socket method target body headers done)
  "Ask at SOCKET: METHOD, TARGET, the bytes BODY, an alist HEADERS.
Return a pending answer, which is handed to DONE if it is non-nil; return nil
where nobody listens."
  (when-let ((process (fovea--open socket #'fovea--collect
                                   (lambda (process _event) ; hand it over when Emacs is free
                                     (unless (process-live-p process)
                                       (run-at-time 0 nil #'fovea--finish
                                                    (process-get process :fovea)))))))
    (let ((pending (fovea--pending-make :process process :done done)))
      (process-put process :fovea pending)
      (when done
        (setf (fovea--pending-timer pending)
              (run-at-time fovea-timeout nil #'fovea--finish pending t)))
      (condition-case nil
          (process-send-string
           process
           (concat method " " target " HTTP/1.1\r\nHost: fovea\r\nConnection: close\r\n"
                   (mapconcat (lambda (h) (format "%s: %s\r\n" (car h) (cdr h))) headers "")
                   (and body (format "Content-Type: application/json\r\nContent-Length: %d\r\n"
                                     (length body)))
                   "\r\n" body))
        (error (delete-process process))) ; it hung up; what it said is looked at as usual
      pending)))

(defun fovea--chunks (raw)
  "Return (BYTES REST END) of RAW: what its chunks have, what is over, if it ends."
  (let ((at 0) (size 0) parts eol)
    (while (and (setq eol (string-search "\r\n" raw at))
                (> (setq size (string-to-number (substring raw at eol) 16)) 0)
                (<= (+ eol 4 size) (length raw)))
      (push (substring raw (+ eol 2) (+ eol 2 size)) parts)
      (setq at (+ eol 4 size)))
    (list (apply #'concat (nreverse parts)) (substring raw at)
          (and eol (string-match-p "\\`0+\\'" (substring raw at eol)) t))))

(defun fovea--head (raw)
  "Return (STATUS HEADERS . BODY) of the bytes RAW, or nil without a whole head."
  (when-let ((end (string-search "\r\n\r\n" raw)))
    (let ((lines (split-string (substring raw 0 end) "\r\n")))
      (cons (and (string-match "\\`HTTP/1\\.[01] \\([0-9]+\\)" (car lines))
                 (string-to-number (match-string 1 (car lines))))
            (cons (mapcar (lambda (line)
                            (pcase-let ((`(,name . ,value) (split-string line ":")))
                              (cons (downcase name) (string-trim (string-join value ":")))))
                          (cdr lines))
                  (substring raw (+ end 4)))))))

(defun fovea--json (bytes)
  "Return BYTES of JSON as alists and lists; null and false are nil."
  (with-temp-buffer
    (insert (decode-coding-string bytes 'utf-8))
    (goto-char (point-min))
    (when (string-search "\\u0000" bytes) ; which Emacs does not read before 30
      (while (re-search-forward "\\\\\\(?:u\\(0000\\)\\|.\\)" nil t)
        (when (match-beginning 1) (replace-match "fffd" t t nil 1)))
      (goto-char (point-min)))
    (json-parse-buffer :object-type 'alist :array-type 'list :null-object nil :false-object nil)))

(defvar fovea--warned nil "What the daemon warned of, each shown once.")

(defun fovea--warn (headers)
  "Show what HEADERS of an answer warn of, unless it was shown before."
  (pcase-dolist (`(,name . ,value) headers)
    (when (and (equal name "fovea-warning") (not (member value fovea--warned)))
      (push value fovea--warned)
      (let ((line (condition-case nil (json-parse-string value) (error value))))
        (run-at-time 0 nil #'message "Fovea: %s" (fovea--line line))))))

(defun fovea--answer (pending late)
  "Return (VALUE . ERROR) of PENDING; ERROR is a line or nil.
LATE is non-nil if its time is over."
  (pcase-let* ((`(,status ,headers . ,body)
                (fovea--head (apply #'concat (nreverse (fovea--pending-chunks pending)))))
               (size (cdr (assoc "content-length" headers)))
               (whole (cond ((null status) nil)
                            ((equal (cdr (assoc "transfer-encoding" headers)) "chunked")
                             (pcase (fovea--chunks body) (`(,bytes ,_ t) bytes)))
                            ((and size (< (length body) (string-to-number size))) nil)
                            (t body)))
               (value (condition-case nil
                          (if (member whole '(nil "")) nil (fovea--json whole))
                        (error 'bad))))
    (setf (fovea--pending-chunks pending) nil)
    (fovea--warn headers)
    (cond
     ((fovea--pending-failure pending) (cons nil (fovea--pending-failure pending)))
     (late (cons nil (format "no answer within %s seconds; try again" fovea-timeout)))
     ((null whole) (cons 'broken "the daemon hung up before its answer was whole; try again"))
     ((>= status 300)
      (cons nil (if-let ((detail (and (consp value) (alist-get 'detail value))))
                    (fovea--line (string-replace ":\n  " ": " detail)) ; the first of a list, too
                  (format "the daemon answered with status %d" status))))
     ((eq value 'bad) (cons nil "the daemon's answer is not JSON; is it of another version?"))
     (t (cons value nil)))))

(defun fovea--finish (pending &optional late)
  "Hand over PENDING, once; LATE is non-nil if its time is over."
  (when-let ((done (fovea--pending-done pending)))
    (setf (fovea--pending-done pending) nil)
    (when (fovea--pending-timer pending) (cancel-timer (fovea--pending-timer pending)))
    (delete-process (fovea--pending-process pending))
    (pcase-let ((`(,value . ,failure) (fovea--answer pending late)))
      (funcall done (and (not failure) value) failure))))

(defun fovea--wait (pending)
  "Wait until PENDING has come, and return (VALUE . ERROR)."
  (let ((end (+ (float-time) fovea-timeout)) (process (fovea--pending-process pending)))
    (unwind-protect
        (progn
          (while (and (process-live-p process) (< (float-time) end))
            (accept-process-output process 0.1))
          (fovea--answer pending (process-live-p process)))
      (delete-process process))))

(defun fovea--run (words done)
  "Run the program with WORDS in the background.
DONE gets the bytes that it printed, and an error line or nil."
  (let* ((default-directory (expand-file-name "~/"))
         (words (if (member fovea-memex '(nil "")) words
                  `(,@words "--memex" ,(expand-file-name fovea-memex))))
         (program (ignore-errors (executable-find fovea-program)))
         (buffers (list (generate-new-buffer " *fovea*") (generate-new-buffer " *fovea errors*"))))
    (condition-case err
        (let ((errors (make-pipe-process :name "fovea errors" :buffer (cadr buffers) :noquery t
                                         :coding 'utf-8 :sentinel #'ignore)))
          (unless program
            (signal 'error (list (format "no program `%s'; install it, or set `fovea-program'"
                                         fovea-program))))
          (make-process
           :name "fovea" :command (cons program words) :connection-type 'pipe :coding 'binary
           :noquery t :buffer (car buffers) :stderr errors
           :sentinel (lambda (process _event)
                       (unless (process-live-p process)
                         (while (accept-process-output errors 0))
                         (fovea--ran (eql 0 (process-exit-status process)) buffers done)))))
      (error (mapc #'kill-buffer buffers)
             (funcall done nil (fovea--line (error-message-string err)))))))

(defun fovea--ran (well buffers done)
  "Hand DONE what is in BUFFERS, of a program that ended WELL or not."
  (pcase-let ((`(,printed ,said)
               (mapcar (lambda (buffer)
                         (if (buffer-live-p buffer) (with-current-buffer buffer (buffer-string))
                           "the program was ended"))
                       buffers)))
    (mapc #'kill-buffer (seq-filter #'buffer-live-p buffers)) ; and with it the pipe
    (funcall done printed
             (unless well
               (let ((line (string-remove-prefix "fovea: " (fovea--line (string-trim said)))))
                 (fovea--line           ; with --json an error is JSON
                  (or (ignore-errors
                        (alist-get 'error (fovea--json (encode-coding-string line 'utf-8))))
                      line)))))))

(defun fovea--socket-of (state)
  "Return the socket that the file `socket' in the folder STATE names, or nil."
  (ignore-errors
    (with-temp-buffer
      (insert-file-contents (expand-file-name "socket" state))
      (string-trim (buffer-string)))))

(defun fovea--greet (socket value)
  "Remember the daemon at SOCKET, which said VALUE; return an error line or nil."
  (if (not (equal (alist-get 'protocol (ensure-list value)) fovea--protocol))
      (format "the daemon speaks protocol %s and this package %d; update the older of them"
              (alist-get 'protocol (ensure-list value)) fovea--protocol)
    (setq fovea--daemon
          (list :socket socket :state (alist-get 'state_dir value)
                :memex (file-name-as-directory (file-truename (alist-get 'memex value)))))
    nil))

(defconst fovea--no-daemon "no daemon runs; start one with `fovea serve --detach'"
  "What is said where nobody listens.")

(defun fovea--hello (socket done)
  "Learn in the background who listens at SOCKET; DONE gets an error line or nil."
  (unless (and socket
               (fovea--send socket "GET" "/v1/hello" nil nil
                            (lambda (value failure)
                              (funcall done (or failure (fovea--greet socket value))))))
    (funcall done fovea--no-daemon)))

(defvar fovea--finding nil "Functions that wait for a daemon which is looked for.")

(defun fovea--found (failure)
  "Tell those who wait for a daemon that it is known, or the error line FAILURE."
  (let ((waiting (nreverse fovea--finding)))
    (setq fovea--finding nil)
    (dolist (done waiting) (with-demoted-errors "Fovea: %S" (funcall done failure)))))

(defun fovea--bad-setting ()
  "Return an error line about a setting whose value is not of its type, or nil."
  (when-let ((name (seq-find (lambda (name)
                               (not (widget-apply (widget-convert (get name 'custom-type))
                                                  :match (symbol-value name))))
                             (mapcar #'car (get 'fovea 'custom-group)))))
    (format "`%s' cannot be %S; set it again" name (symbol-value name))))

(defun fovea--find (done)
  "Look for a daemon in the background; start one where that is allowed.
DONE gets an error line, or nil when the daemon is known."
  (push done fovea--finding)
  (cond ((cdr fovea--finding))          ; somebody looks already
        ((fovea--bad-setting) (fovea--found (fovea--bad-setting)))
        ((not (fboundp 'json-parse-buffer)) (fovea--found "this Emacs was built without JSON"))
        (fovea-socket (fovea--hello fovea-socket #'fovea--found))
        ((not fovea-start-daemon) (fovea--find-running))
        (t (fovea--run '("serve" "--detach" "--quiet")
                       (lambda (_printed failure)
                         (if failure (fovea--found failure) (fovea--find-running)))))))

(defun fovea--find-running ()
  "Look for a running daemon."
  (fovea--run '("status" "--json")
              (lambda (printed failure)
                (if failure (fovea--found failure)
                  (fovea--hello
                   (fovea--socket-of (ignore-errors (alist-get 'state_dir (fovea--json printed))))
                   #'fovea--found)))))

(defun fovea--connect ()
  "Return the socket of a daemon that answers; start one where that is allowed.
The wait for it ends when a key is pressed; the daemon starts all the same."
  (unless fovea--daemon
    (let ((begin (float-time)) (failure 'none) (given-up nil))
      (fovea--find (lambda (line)
                     (setq failure line)
                     (when given-up (message "Fovea: %s" (or line "the daemon is there now")))))
      (while (and (eq failure 'none) (< (- (float-time) begin) fovea-timeout)
                  (not (input-pending-p)))
        (accept-process-output nil 0.02))
      (when (setq given-up (eq failure 'none))
        (user-error "Fovea: the daemon still starts, in the background; try again soon"))
      (when failure (user-error "Fovea: %s" failure))))
  (plist-get fovea--daemon :socket))

(defvar fovea--client nil "The name of our stream of events, for which buffers are held.")

(defun fovea--headers (operation)
  "Return headers for OPERATION: a key if it writes, a session if it sees buffers."
  (append
   (and (member operation fovea--writes)
        `(("Idempotency-Key"
           . ,(secure-hash 'sha1 (format "%s %s %s" (random) (emacs-pid) (float-time))))))
   (and fovea--client (member operation fovea--seeing)
        `(("Fovea-Session" . ,(or fovea-agent "emacs")))))) ; in which unsaved text is seen

(defun fovea--call (operation &optional request headers)
  "Return the answer to OPERATION with REQUEST, an alist, and HEADERS.
An error is one line.  A daemon that went away is looked for once more; a write
has a key, so that it is not carried out twice."
  (let* ((body (fovea--encode request))
         (headers (append (fovea--headers operation) headers))
         (ask (lambda ()
                (if-let ((pending (fovea--send (fovea--connect) "POST" (concat "/v1/" operation)
                                               body headers nil)))
                    (fovea--wait pending)
                  (cons 'broken "the daemon does not listen; try again"))))
         (answer (funcall ask)))
    (dolist (again '(t nil))
      (when (and (cdr answer) (eq (car answer) 'broken))
        (setq fovea--daemon nil)
        (when again (setq answer (funcall ask)))))
    (when (cdr answer) (user-error "Fovea: %s" (cdr answer)))
    (car answer)))

(defun fovea--ask (operation request done &optional headers)
  "Ask OPERATION with REQUEST and HEADERS in the background.
DONE gets the answer and an error line or nil, when Emacs is free.  Nothing is
started and nothing waits: where no daemon is known, DONE gets an error."
  (let ((socket (plist-get fovea--daemon :socket)))
    (or (and socket
             (fovea--send socket "POST" (concat "/v1/" operation) (fovea--encode request)
                          (append (fovea--headers operation) headers) done))
        (progn (funcall done nil fovea--no-daemon) nil))))

;;;; Events

(defvar fovea--stream nil "The connection on which events come.")
(defvar fovea--stream-chunks nil "Bytes of the stream that were not looked at, newest first.")
(defvar fovea--stream-raw "" "Bytes of the stream that are no whole chunk yet.")
(defvar fovea--stream-text "" "Bytes of an event that is not whole yet.")
(defvar fovea--stream-open nil "Whether the head of the stream has come.")
(defvar fovea--stream-timer nil "What looks at the bytes that came.")
(defvar fovea--stream-again nil "What opens the stream again.")
(defvar fovea--stream-delay 1 "How many seconds pass before the stream is opened again.")
(defvar fovea--stream-last nil "The number of the newest commit that came.")

(defun fovea--stream-collect (_process string)
  "Keep STRING of the stream, to be looked at soon."
  (push string fovea--stream-chunks)
  (unless fovea--stream-timer
    (setq fovea--stream-timer (run-at-time 0.02 nil #'fovea--stream-read))))

(defun fovea--stream-read ()
  "Look at what came on the stream."
  (setq fovea--stream-timer nil
        fovea--stream-raw (apply #'concat fovea--stream-raw (nreverse fovea--stream-chunks))
        fovea--stream-chunks nil)
  (unless fovea--stream-open
    (when-let ((head (fovea--head fovea--stream-raw)))
      (if (not (eql (car head) 200))
          (fovea--stream-lost)
        (setq fovea--stream-open t fovea--stream-delay 1 fovea--stream-raw (cddr head))
        (fovea--changed t)
        (mapc #'fovea--count '(?L ?C ?P ?M)))))
  (when fovea--stream-open
    (pcase-let ((`(,bytes ,rest ,_) (fovea--chunks fovea--stream-raw)) (from 0) (end nil))
      (setq fovea--stream-raw rest fovea--stream-text (concat fovea--stream-text bytes))
      (while (setq end (string-search "\n\n" fovea--stream-text from))
        (fovea--stream-event (substring fovea--stream-text from end))
        (setq from (+ end 2)))
      (setq fovea--stream-text (substring fovea--stream-text from)))))

(defun fovea--stream-event (block)
  "Act on BLOCK, the bytes of one event."
  (let (kind data)
    (dolist (line (split-string block "\n"))
      (cond ((string-prefix-p "event: " line) (setq kind (substring line 7)))
            ((string-prefix-p "data: " line) (setq data (substring line 6)))))
    (when (and kind data)
      (setq data (ignore-errors (fovea--json data)))
      (pcase kind
        ("client" (fovea--push-again (alist-get 'client data)))
        ("commit" (setq fovea--stream-last (alist-get 'seq data))
         (fovea--changed (or (alist-get 'more_paths data) (not (assq 'paths data))
                             (alist-get 'paths data)))
         (fovea--count ?M))
        ("lockdown" (fovea--counted ?L (length (alist-get 'paths data))))
        ("conflicts" (fovea--counted ?C (length (alist-get 'paths data))))
        ("message" (fovea--count ?M))
        ("review" (fovea--count ?P))
        ("end" (message "Fovea: %s" (fovea--line (alist-get 'detail data)))))
      (with-demoted-errors "Fovea: %S" (run-hook-with-args 'fovea-event-functions kind data)))))

(defun fovea--stream-lost (&optional failure)
  "Open the stream again after a while; FAILURE is the error line, if any."
  (let ((process fovea--stream))
    (setq fovea--stream nil fovea--client nil)
    (when (process-live-p process) (delete-process process)))
  (when (and (bound-and-true-p fovea-mode) (not fovea--stream-again))
    (when (= fovea--stream-delay 1)
      (message "Fovea: %s; changes appear when it is back" (or failure "the daemon is gone")))
    (setq fovea--stream-again (run-at-time fovea--stream-delay nil #'fovea--stream-start)
          fovea--stream-delay (min 60 (* 2 fovea--stream-delay)))
    (fovea--mode-line-show)))

(defun fovea--stream-start ()
  "Open the stream of events of the known daemon, else of one that is looked for."
  (setq fovea--stream-again nil)
  (let ((state (plist-get fovea--daemon :state))
        (done (lambda (failure)
                (cond (failure (fovea--stream-lost failure))
                      ((bound-and-true-p fovea-mode)
                       (fovea--stream-listen (plist-get fovea--daemon :socket)))))))
    (if fovea--daemon (fovea--hello (or fovea-socket (fovea--socket-of state)) done)
      (fovea--find done))))

(defun fovea--stream-listen (socket)
  "Listen to the events at SOCKET, from the newest commit that is known on."
  (fovea--stream-stop)
  (setq fovea--stream-chunks nil fovea--stream-raw "" fovea--stream-text "" fovea--stream-open nil
        fovea--stream (fovea--open socket #'fovea--stream-collect
                                   (lambda (process _event)
                                     (when (eq process fovea--stream) (fovea--stream-lost)))))
  (if (not fovea--stream)
      (fovea--stream-lost)
    (process-send-string
     fovea--stream
     (format "GET /v1/events%s HTTP/1.1\r\nHost: fovea\r\nAccept: text/event-stream\r\n\r\n"
             (if fovea--stream-last (format "?since=%d" fovea--stream-last) "")))))

(defun fovea--stream-stop ()
  "Listen no more."
  (mapc #'cancel-timer (delq nil (list fovea--stream-again fovea--stream-timer)))
  (let ((process fovea--stream))
    (setq fovea--stream nil fovea--stream-again nil fovea--stream-timer nil fovea--client nil)
    (when (process-live-p process) (delete-process process))))

;;;; Buffers and notes

(defvar-local fovea--version-id nil "The id of the note whose versions this buffer shows.")

(defun fovea--path (&optional buffer)
  "Return the path below the memex of the file of BUFFER, or nil.
An indirect buffer has the file of its base."
  (let ((file (buffer-file-name (or (buffer-base-buffer buffer) buffer)))
        (memex (plist-get fovea--daemon :memex)))
    (when (and file memex (not (file-remote-p file)))
      (seq-some (lambda (name)
                  (and (string-prefix-p memex name) (substring name (length memex))))
                (list (expand-file-name (file-name-nondirectory file)
                                        (file-truename (file-name-directory file)))
                      (file-truename file))))))

(defun fovea--heading ()
  "Return (LINE . ID) of the heading at point, whatever is narrowed, or nil."
  (save-excursion
    (save-restriction
      (widen)
      (end-of-line)
      (when (re-search-backward "^\\*+[ \t]" nil t)
        (let ((line (line-number-at-pos)) (case-fold-search t))
          (cons line
                (and (looking-at
                      (concat ".*\n\\(?:[ \t]*\\(?:SCHEDULED\\|DEADLINE\\|CLOSED\\):.*\n\\)?"
                              "[ \t]*:PROPERTIES:[ \t]*\n\\(?:[ \t]*:[^ \t\n]+:.*\n\\)*?"
                              "[ \t]*:ID:[ \t]+\\([^ \t\n]+\\)"))
                     (match-string-no-properties 1))))))))

(defun fovea--reference ()
  "Return what names the note at point for the daemon, or an error line in a list."
  (let ((path (fovea--path)) (buffer (or (buffer-base-buffer) (current-buffer))))
    (pcase-let ((`(,line . ,id) (fovea--heading)))
      (cond ((derived-mode-p 'fovea-table-mode)
             (or (alist-get 'id (tabulated-list-get-id)) (list "no note on this line")))
            (fovea--version-id)
            ((not (buffer-file-name buffer)) (list "this buffer visits no file"))
            ((not path) (list "this file is not in the memex"))
            ((not line) path)
            ((or (not (buffer-modified-p buffer))
                 (and fovea--client (equal (cdr (buffer-local-value 'fovea--pushed buffer))
                                           (list (buffer-chars-modified-tick buffer) t))))
             (format "%s:%d" path line))
            (id)
            (t (list "save this buffer first: its heading here has no ID"))))))

(defun fovea--here ()
  "Return what names the note at point, or signal why there is none."
  (fovea--connect)
  (let ((reference (fovea--reference)))
    (if (consp reference) (user-error "Fovea: %s" (car reference)) reference)))

(defun fovea--id-here ()
  "Return the id of the note at point."
  (alist-get 'id (fovea--call "show" `((id . ,(fovea--here)) (page . 1)))))

(defun fovea--seek (id line title)
  "Go to the note with ID, else to LINE, else to the nearest heading with TITLE."
  (let (at best)
    (save-excursion
      (save-restriction
        (widen)
        (goto-char (point-min))
        (if (and id (re-search-forward (format "^[ \t]*:ID:[ \t]+%s[ \t]*$" (regexp-quote id))
                                       nil t))
            (setq at (if (re-search-backward "^\\*+ " nil t) (point) (point-min)))
          (goto-char (point-min))
          (forward-line (1- (max 1 (or line 1))))
          (setq at (point))
          (unless (or (null title) (eql line 1)
                      (string-search title (buffer-substring at (line-end-position))))
            (goto-char (point-min))
            (while (re-search-forward (format "^\\*+ .*%s" (regexp-quote title)) nil t)
              (when (or (not best) (< (abs (- (match-beginning 0) at)) (abs (- best at))))
                (setq best (match-beginning 0))))))))
    (setq at (or best at))
    (unless (<= (point-min) at (point-max)) (widen))
    (goto-char at)
    (when (derived-mode-p 'org-mode)
      (funcall (if (fboundp 'org-fold-show-context) 'org-fold-show-context 'org-show-context)
               'link-search))))

(defun fovea-visit (node &optional other)
  "Go to NODE, an alist of the daemon, in another window if OTHER is non-nil."
  (let* ((path (alist-get 'path node))
         (file (and path (not (string-empty-p path))
                    (expand-file-name path (plist-get fovea--daemon :memex))))
         (buffer (and file (find-buffer-visiting file))))
    (cond
     ((not file) (fovea--show-version (alist-get 'id node)))
     ((not (file-exists-p file)) (user-error "Fovea: %s is not there any more" path))
     (t (when (and buffer (fovea--stale-p buffer)) (with-current-buffer buffer (fovea--refresh)))
        (if other (find-file-other-window file) (find-file file))
        (push-mark nil t)
        (fovea--seek (alist-get 'id node) (alist-get 'line node) (alist-get 'title node))))))

(defun fovea--buffer (name mode fill)
  "Fill the buffer NAME in MODE by FILL, and return it, read-only."
  (with-current-buffer (get-buffer-create name)
    (unless (derived-mode-p mode) (funcall mode))
    (let ((inhibit-read-only t) (buffer-undo-list t))
      (erase-buffer)
      (funcall fill)
      (goto-char (point-min)))
    (setq buffer-read-only t)
    (set-buffer-modified-p nil)
    (current-buffer)))

(defun fovea--time (time)
  "Return TIME of the daemon, with its fractions of a second."
  (time-add (date-to-time time)
            (if (string-match "\\.[0-9]+" time)
                (string-to-number (concat "0" (match-string 0 time))) 0)))

(defun fovea--when (time)
  "Return TIME of the daemon for people, in local time."
  (if (member time '(nil "")) "" (format-time-string "%Y-%m-%d %H:%M" (date-to-time time))))

(defun fovea--commit-line (commit)
  "Return COMMIT on one line."
  (let-alist commit
    (format "%6d  %s  %-10s  %s" .seq (fovea--when .time) .author (fovea--line .message))))

;;;; Tables

(defun fovea--keys (map &rest keys)
  "Bind KEYS, each followed by its command, in MAP, and return it."
  (while keys (define-key map (kbd (pop keys)) (pop keys)))
  map)

(defvar-local fovea--again nil "What fills this buffer again.")

(define-derived-mode fovea-table-mode tabulated-list-mode "Fovea"
  "A list of notes or commits."
  (hl-line-mode)
  (add-hook 'tabulated-list-revert-hook (lambda () (funcall (or fovea--again #'ignore))) nil t))
(fovea--keys fovea-table-mode-map "RET" #'fovea-table-visit "l" #'fovea-log "b" #'fovea-blame
             "v" #'fovea-versions)

(defun fovea-table-visit (&optional other)
  "Go to the note of this line, or show what its commit changed.
With OTHER non-nil, as interactively with a prefix argument, use another window."
  (interactive "P")
  (let* ((entry (or (tabulated-list-get-id) (user-error "Fovea: nothing on this line")))
         (seq (or (alist-get 'seq entry) (let-alist entry .commit.seq))))
    (if seq (fovea-commit seq) (fovea-visit entry other))))

(defun fovea--table (name columns row ask)
  "Fill the table NAME with COLUMNS by ROW of each item that is the value of ASK.
Return the buffer."
  (let ((items (funcall ask)))
    (with-current-buffer (get-buffer-create name)
      (unless (derived-mode-p 'fovea-table-mode) (fovea-table-mode))
      (setq fovea--again (lambda () (fovea--table name columns row ask))
            tabulated-list-format columns
            tabulated-list-entries
            (mapcar (lambda (item) (list item (vconcat (funcall row item)))) items))
      (tabulated-list-init-header)
      (tabulated-list-print t)
      (current-buffer))))

(defun fovea--node-table (name ask)
  "Fill the table NAME with the notes that are the value of ASK; return the buffer."
  (fovea--table
   name [("Todo" 8 t) ("Title" 46 t) ("Place" 36 t) ("Tags" 24 t) ("Match" 0 nil)]
   (lambda (node)
     (let-alist node
       (list (or .todo "") (fovea--line .title) (format "%s:%s" .path .line)
             (string-join .tags ":") (fovea--line (or .match .excerpt "")))))
   ask))

;;;###autoload
(defun fovea-query (query)
  "List the notes that match QUERY, such as \"todo:NEXT tags:work\"."
  (interactive (list (read-string "Query: " nil 'fovea-query-history)))
  (pop-to-buffer
   (fovea--node-table "*fovea query*"
                      (lambda ()
                        (fovea--call "query" `((query . ,query) (excerpt . 100)
                                               (limit . ,(* 10 fovea-search-limit))))))))

;;;; Search

(defvar fovea-search-history nil "What was searched for.")
(defvar fovea-query-history nil "Queries that were asked.")
(defconst fovea--search-garbage (* 64 1024 1024)
  "How many bytes a search may leave uncollected, since keys wait for that.")
(defvar fovea--search-text nil "The text whose results the list has.")
(defvar fovea--search-asked nil "The text whose results are on their way.")
(defvar fovea--search-wanted nil "The text whose results are wanted, while one is typed.")

(defun fovea--search-requests (text)
  "Return the requests for TEXT: a search, else a query for parts of words."
  (let ((parts (split-string text "[\"\\[:space:]]+" t)))
    `(("search" ((text . ,text) (limit . ,fovea-search-limit) (match . 120) (excerpt . 120)))
      ,@(and parts `(("query" ((query . ,(format "\"%s\"" (string-join parts "\" \"")))
                               (limit . ,fovea-search-limit) (excerpt . 120))))))))

(defun fovea--search-ask (requests done)
  "Ask REQUESTS in the background, one after another, until there are notes.
DONE gets these, and an error line or nil."
  (fovea--ask (caar requests) (cadar requests)
              (lambda (nodes failure)
                (if (or nodes failure (null (cdr requests))) (funcall done nodes failure)
                  (fovea--search-ask (cdr requests) done)))))

(defun fovea--search-show (text nodes)
  "Show NODES, which TEXT found, and return the buffer."
  (with-current-buffer (fovea--node-table "*fovea search*" (lambda () nodes))
    (goto-char (point-min))
    (hl-line-highlight)
    (dolist (window (get-buffer-window-list nil nil t)) (set-window-point window (point-min)))
    (setq fovea--search-text text
          mode-line-process (and text (string-replace "%" "%%" (format ": %d for \"%s\""
                                                                       (length nodes) text))))
    (current-buffer)))

(defun fovea--search-update (text)
  "Search for TEXT in the background, or when the search before has been answered."
  (unless (string-blank-p text)
    (setq fovea--search-wanted text)
    (unless (or fovea--search-asked (equal text fovea--search-text))
      (setq fovea--search-asked text)
      (fovea--search-ask (fovea--search-requests text)
                         (apply-partially #'fovea--search-answer text)))))

(defun fovea--search-answer (text nodes failure)
  "Show NODES, which TEXT found, or the error line FAILURE.
Then ask for what was typed meanwhile.  The answer to an earlier search is void."
  (when (equal text fovea--search-asked)
    (setq fovea--search-asked nil)
    (cond ((null fovea--search-wanted))
          (failure (minibuffer-message "Fovea: %s" failure))
          (t (fovea--search-show text nodes)
             (unless (equal text fovea--search-wanted)
               (fovea--search-update fovea--search-wanted))))))

(defun fovea-search-next (&optional count)
  "Select the result that is COUNT lines below."
  (interactive "p")
  (when-let ((window (get-buffer-window "*fovea search*" t)))
    (with-selected-window window
      (forward-line (or count 1))
      (when (eobp) (forward-line -1))
      (hl-line-highlight))))

(defun fovea-search-previous ()
  "Select the result above."
  (interactive)
  (fovea-search-next -1))

(defvar fovea-search-map
  (fovea--keys (make-composed-keymap nil minibuffer-local-map)
               "<down>" #'fovea-search-next "<up>" #'fovea-search-previous
               "C-n" #'fovea-search-next "C-p" #'fovea-search-previous)
  "Keys while a search is typed.")

(defun fovea--search-read ()
  "Read the text of a search, with its results beside it."
  (let ((typed (lambda () (fovea--search-update (minibuffer-contents-no-properties))))
        (gc-cons-threshold (max gc-cons-threshold fovea--search-garbage)))
    (setq fovea--search-asked nil)
    (unwind-protect
        (minibuffer-with-setup-hook
            (lambda ()
              (add-hook 'post-command-hook typed nil t)
              (unless fovea--daemon
                (let ((buffer (current-buffer)))
                  (fovea--find (lambda (failure)
                                 (if failure (minibuffer-message "Fovea: %s" failure)
                                   (when (buffer-live-p buffer)
                                     (with-current-buffer buffer (funcall typed)))))))))
          (read-from-minibuffer "Search: " nil fovea-search-map nil 'fovea-search-history))
      (setq fovea--search-wanted nil))))

;;;###autoload
(defun fovea-search ()
  "Search the memory while you type, and go to the note that you select.
\\<fovea-search-map>\\[fovea-search-next] and \\[fovea-search-previous] select; the list \
stays in the buffer *fovea search*."
  (interactive)
  (let ((windows (current-window-configuration)) found)
    (unwind-protect
        (let ((list (fovea--search-show nil nil)) text)
          (display-buffer list '(display-buffer-at-bottom (window-height . 0.4)))
          (setq text (fovea--search-read))
          (when (string-blank-p text) (user-error "Fovea: nothing to search for"))
          (unless (equal text fovea--search-text)
            (fovea--search-show text (seq-some (lambda (request) (apply #'fovea--call request))
                                               (fovea--search-requests text))))
          (setq found (with-current-buffer list (tabulated-list-get-id)))
          (unless found (user-error "Fovea: no note has \"%s\"" text)))
      (set-window-configuration windows))
    (fovea-visit found)))

;;;; Point

(defvar fovea--point-last nil "What the agent's focus was set to last.")
(defvar fovea--point-timer nil "What lets the focus follow point.")

(defun fovea--agent-headers (&optional needed)
  "Return the headers that name `fovea-agent'; it must be set if it is NEEDED."
  (when (and needed (not fovea-agent))
    (user-error "Fovea: set `fovea-agent' to the agent whose focus is to follow point"))
  (and fovea-agent `(("Fovea-Agent" . ,fovea-agent) ("Fovea-Role" . "owner"))))

;;;###autoload
(defun fovea-point-update ()
  "Set the focus of `fovea-agent' to the note at point."
  (interactive)
  (let* ((headers (fovea--agent-headers t))
         (request `((event . "point-update") (payload . ((target_id . ,(fovea--here))))))
         (answer (fovea--call "event" request headers)))
    (message "Fovea: %s works on %s" fovea-agent (alist-get 'focus answer))))

(defun fovea--point ()
  "Let the focus follow point, if it is at another note of the memex than before."
  (when (and fovea-agent (not (minibufferp)) (fovea--path))
    (let ((reference (fovea--reference)))
      (when (and (stringp reference) (not (equal reference fovea--point-last)))
        (setq fovea--point-last reference)
        (fovea--ask "event" `((event . "point-update") (payload . ((target_id . ,reference))))
                    (lambda (_answer failure) (when failure (setq fovea--point-last nil)))
                    (fovea--agent-headers))))))

;;;###autoload
(define-minor-mode fovea-point-mode
  "Let the focus of `fovea-agent' follow point while Emacs is idle."
  :global t
  (when fovea--point-timer (cancel-timer fovea--point-timer))
  (setq fovea--point-timer nil fovea--point-last nil)
  (when fovea-point-mode
    (setq fovea-point-mode nil)         ; until what can fail has not
    (fovea--agent-headers t)
    (fovea--connect)
    (setq fovea-point-mode t
          fovea--point-timer (run-with-idle-timer fovea-delay t #'fovea--point))))

;;;; Windows

(defvar-local fovea--window nil "The answer whose text this buffer has.")

(define-derived-mode fovea-window-mode outline-mode "Fovea Window"
  "A window that a model may be given."
  (setq buffer-read-only t))
(fovea--keys fovea-window-mode-map "w" #'fovea-why "RET" #'fovea-window-visit "q" #'quit-window)

(defun fovea--window-show (answer kill)
  "Put the window ANSWER into the kill ring if KILL is non-nil, else into a buffer."
  (let-alist answer
    (if kill
        (progn (kill-new .text)
               (message "Fovea: a window of %d tokens is in the kill ring" .tokens))
      (with-current-buffer
          (fovea--buffer "*fovea window*" 'fovea-window-mode (lambda () (insert .text)))
        (setq fovea--window answer mode-line-process (format " %s/%s tokens" .tokens .budget))
        (display-buffer (current-buffer))))))

(defun fovea--window-make (request kill)
  "Make a window by REQUEST in the background; KILL is as in `fovea-window'."
  (fovea--connect)
  (fovea--ask "context" (append request `((budget . ,fovea-window-budget) (explain . t)))
              (lambda (answer failure)
                (if failure (message "Fovea: %s" failure) (fovea--window-show answer kill)))
              (fovea--agent-headers)))

;;;###autoload
(defun fovea-window (&optional kill)
  "Make a window for the active region, else for the note at point.
It comes into a buffer, or with KILL, the prefix argument, into the kill ring."
  (interactive "P")
  (fovea--window-make
   (if (use-region-p)
       `((question . ,(fovea--text (region-beginning) (region-end))))
     `((focus . ,(fovea--here))))
   kill))

;;;###autoload
(defun fovea-window-question (question &optional kill)
  "Make a window for QUESTION.
It comes into a buffer, or with KILL, the prefix argument, into the kill ring."
  (interactive (list (read-string "Window for: ") current-prefix-arg))
  (fovea--window-make `((question . ,question)) kill))

(defun fovea--window-part ()
  "Return the part of the window to which the line of point belongs.
Where the window was not made here, it has its handle alone; nil for none."
  (let* ((parts (alist-get 'parts fovea--window))
         (handles (delq nil (mapcar (lambda (part) (alist-get 'handle part)) parts))))
    (save-excursion
      (end-of-line)
      (when (re-search-backward
             (format "^\\(?:\\*+\\|#+\\) \\(?:[^ \n]+ \\)?\\(%s\\)\\(?: \\|$\\)"
                     (if handles (regexp-opt handles) "[a-z2-7]\\{5,9\\}"))
             nil t)
        (let* ((handle (match-string-no-properties 1))
               (named (lambda (key value)
                        (seq-find (lambda (part) (equal (alist-get key part) value)) parts))))
          (or (if handles (funcall named 'handle handle)
                (when-let ((node (and parts (ignore-errors (fovea--call "show" `((id . ,handle)))))))
                  (funcall named 'id (alist-get 'id node)))) ; as it was recorded
              `((handle . ,handle))))))))

(defun fovea-window-visit ()
  "Go to the note of this line of a window."
  (interactive)
  (let ((part (or (fovea--window-part) (user-error "Fovea: this line is of no note"))))
    (fovea-visit (condition-case err
                     (fovea--call "show" `((id . ,(or (alist-get 'id part) (alist-get 'handle part)))
                                           (page . 1)))
                   (user-error          ; gone: where it was
                    (if (alist-get 'line part) part (signal (car err) (cdr err)))))
                 t)))

(defun fovea--since (part)
  "Return what has become of the note of PART since its window."
  (let* ((id (or (alist-get 'id part) (alist-get 'handle part)))
         (node (condition-case err (fovea--call "show" `((id . ,id))) (user-error (cadr err))))
         (commit (car (ignore-errors (fovea--call "log" `((id . ,id) (limit . 1))))))
         (last (if commit
                   (let-alist commit
                     (format " by %s on %s (commit %d: %s)" .author (fovea--when .time) .seq
                             (fovea--line .message)))
                 "")))
    (let-alist part
      (cond
       ((stringp node)
        (unless (string-match-p "no such node\\|: it left" node) (user-error "%s" node))
        (concat "since then gone" last))
       ((alist-get 'missing node)
        (concat "since then gone: " (fovea--line (alist-get 'missing node))))
       ((null .digest) (concat "last changed" last))
       ((not (equal (alist-get 'digest node) .digest)) (concat "since then changed" last))
       ((equal (alist-get 'path node) .path) "unchanged since then")
       (t (format "since then moved to %s" (alist-get 'path node)))))))

;;;###autoload
(defun fovea-why ()
  "Say why the note of this line is in the window, and what has become of it."
  (interactive)
  (let ((part (or (fovea--window-part)
                  (user-error "Fovea: this line is of no note of a window"))))
    (let-alist part
      (message "%s; %s"
               (cond (.reason (format "%s (%s, %s tokens%s): %s" (fovea--line .title) .level .tokens
                                      (if .line (format ", %s:%d" .path .line) "") .reason))
                     (.level (format "%s (%s, %s tokens)" .path .level .tokens))
                     (t (format "%s: its window was not made here" .handle)))
               (fovea--since part)))))

;;;; Text that is sent

(defvar-local fovea--edit-send nil "What sends the text of this buffer; it returns what to say.")

(define-derived-mode fovea-edit-mode org-mode "Fovea Edit"
  "Text that Fovea is to have.
\\{fovea-edit-mode-map}"
  (setq header-line-format "C-c C-c sends the text, C-c C-k drops it"))
(fovea--keys fovea-edit-mode-map "C-c C-c" #'fovea-edit-finish "C-c C-k" #'kill-current-buffer)

(defun fovea--text (from to)
  "Return the text between FROM and TO."
  (buffer-substring-no-properties from to))

(defun fovea-edit-finish ()
  "Send the text of this buffer; it stays here where that fails."
  (interactive)
  (let ((said (funcall (or fovea--edit-send (user-error "Fovea: this buffer is sent nowhere")))))
    (set-buffer-modified-p nil)
    (quit-window t)
    (message "Fovea: %s" said)))

;;;###autoload
(defun fovea-capture (&optional text)
  "Write a note that Fovea is to remember; the region is its TEXT at first.
Its place is that of what is remembered without a place: see `fovea remember'."
  (interactive (list (and (use-region-p) (fovea--text (region-beginning) (region-end)))))
  (let* ((file (buffer-file-name (or (buffer-base-buffer) (current-buffer))))
         (link (and text file (not (file-remote-p file))
                    (format "[[file:%s::%d]]" (abbreviate-file-name file)
                            (line-number-at-pos (and (use-region-p) (region-beginning)) t)))))
    (pop-to-buffer "*fovea capture*")
    (unless (buffer-modified-p)         ; what was written and not sent stays
      (fovea-edit-mode)
      (erase-buffer)
      (insert "* ")
      (save-excursion (when text (insert "\n" (string-trim-right text) "\n" (or link "")))))
    (setq fovea--edit-send #'fovea--capture-send)))

;;;###autoload
(defun fovea-inbox ()
  "Return the file inbox.org of the memex, for a template of `org-capture'."
  (fovea--connect)
  (fovea--refresh-buffers '("inbox.org"))
  (expand-file-name "inbox.org" (plist-get fovea--daemon :memex)))

(defun fovea--capture-send ()
  "Have the note of this buffer remembered."
  (goto-char (point-min))
  (unless (looking-at "\\*+ +\\S-") (user-error "Fovea: the first line is to be a headline"))
  (pcase-let* ((`(,_ ,_ ,todo ,priority ,title ,tags) (org-heading-components))
               (body (string-trim (fovea--text (min (point-max) (1+ (line-end-position)))
                                               (point-max)))))
    (unless title (user-error "Fovea: the headline has no title"))
    (let-alist (fovea--call "remember"
                            `((title . ,title)
                              ,@(and todo `((todo . ,todo)))
                              ,@(and priority `((priority . ,(string priority))))
                              ,@(and tags `((tag . ,(vconcat (split-string tags ":" t)))))
                              ,@(and (not (string-empty-p body)) `((body . ,body)))))
      (format "%s %s:%s" (if .known "it is there already, in" "remembered in") .path .line))))

;;;; History of a note

(defvar-local fovea--version-commits nil "The commits of the note, newest first.")
(defvar-local fovea--version-index 0 "Which of the commits is shown.")
(defvar-local fovea--version-path nil "The file of the note, at the commit that is shown.")

(defun fovea--show-diff (name text)
  "Show TEXT, a unified diff, in the buffer NAME."
  (pop-to-buffer (fovea--buffer name 'diff-mode
                                (lambda ()
                                  (insert (if (string-empty-p text) "Nothing differs.\n" text))))))

(defun fovea--difference-text (difference &optional id)
  "Return DIFFERENCE as a unified diff, of the note ID alone if it is non-nil."
  (mapconcat
   (lambda (kind)
     (mapconcat (lambda (node)
                  (let-alist node
                    (if (and id (not (equal id .id))) ""
                      (format "# %s: %s (%s%s)\n%s" kind (fovea--line .title) .path
                              (if .was (format ", was %s" .was) "") (or .text "")))))
                (alist-get kind difference) ""))
   '(removed changed moved added) ""))

(defun fovea-commit (seq)
  "Show what the commit with the number SEQ changed."
  (interactive "nCommit: ")
  (fovea--show-diff (format "*fovea commit %d*" seq)
                    (fovea--difference-text
                     (fovea--call "diff" `((from . ,(fovea--before seq)) (text . t)
                                           (to . ,(format "seq:%d" seq)))))))

(defun fovea--before (seq)
  "Return what names the state before the commit with the number SEQ."
  (if (> seq 1) (format "seq:%d" (1- seq)) (user-error "Fovea: nothing is older than commit 1")))

;;;###autoload
(defun fovea-log ()
  "List the commits that changed the note at point."
  (interactive)
  (let ((id (fovea--id-here)))
    (pop-to-buffer
     (fovea--table
      "*fovea log*"
      [("Commit" 7 nil :right-align t) ("When" 17 t) ("Who" 12 t) ("Kind" 8 t) ("What" 0 nil)]
      (lambda (commit)
        (let-alist commit
          (list (number-to-string .seq) (fovea--when .time) .author .kind (fovea--line .message))))
      (lambda () (fovea--call "log" `((id . ,id))))))))

;;;###autoload
(defun fovea-diff (&optional from)
  "Show how the note at point differs from its version before.
In a version of a note, show how the note as it is now differs from that one.
With a prefix argument, ask FROM which moment on: a date, a snapshot, seq:N."
  (interactive (list (and current-prefix-arg (read-string "Since: "))))
  (let* ((id (fovea--id-here))
         (shown (nth fovea--version-index fovea--version-commits))
         (last (or shown (car (fovea--call "log" `((id . ,id) (limit . 1))))))
         (from (cond (from)
                     (shown (format "seq:%d" (alist-get 'seq shown)))
                     (t (fovea--before (or (alist-get 'seq last) 0))))))
    (fovea--show-diff
     "*fovea diff*"
     (fovea--difference-text (fovea--call "diff" `((from . ,from) (text . t))) id))))

;;;###autoload
(defun fovea-blame ()
  "Show who wrote each line of the note at point, and when."
  (interactive)
  (let ((id (fovea--id-here)))
    (pop-to-buffer
     (fovea--table
      "*fovea blame*" [("Commit" 7 nil :right-align t) ("When" 17 nil) ("Who" 12 nil)
                       ("Line" 5 nil :right-align t) ("Text" 0 nil)]
      (lambda (line)
        (let-alist line
          (list (number-to-string .commit.seq) (fovea--when .commit.time) .commit.author
                (number-to-string .line) (string-trim-right .text "[\r\n]+"))))
      (lambda () (alist-get 'lines (fovea--call "blame" `((id . ,id)))))))))

(define-derived-mode fovea-version-mode outline-mode "Fovea Version"
  "One version of a note; \\<fovea-version-mode-map>\\[fovea-version-older] shows an older \
and \\[fovea-version-newer] a newer one."
  (setq buffer-read-only t))
(fovea--keys fovea-version-mode-map "p" #'fovea-version-older "n" #'fovea-version-newer
             "d" #'fovea-diff "r" #'fovea-restore "q" #'quit-window)

(defun fovea--show-version (id)
  "Show the newest version of the note ID."
  (let ((commits (or (fovea--call "log" `((id . ,id)))
                     (user-error "Fovea: history has no version of this note"))))
    (pop-to-buffer (fovea--buffer "*fovea version*" 'fovea-version-mode #'ignore))
    (setq fovea--version-id id fovea--version-commits commits)
    (fovea--version-fill 0)))

(defun fovea--version-fill (index)
  "Show the version that the commit number INDEX of the list made."
  (let* ((commit (nth index fovea--version-commits))
         (node (ignore-errors
                 (fovea--call "show" `((id . ,fovea--version-id)
                                       (at . ,(format "seq:%d" (alist-get 'seq commit)))))))
         (line (line-number-at-pos)))
    (fovea--buffer (buffer-name) 'fovea-version-mode
                   (lambda ()
                     (insert (or (alist-get 'content node) "The note was not there then.\n"))))
    (forward-line (1- line))
    (setq fovea--version-index index
          fovea--version-path (or (alist-get 'path node) fovea--version-path)
          header-line-format
          (string-replace "%" "%%" (format "%d of %d: commit%s" (1+ index)
                                           (length fovea--version-commits)
                                           (fovea--commit-line commit))))))

(defun fovea-version-older (&optional newer)
  "Show the version before this one, or with NEWER the one after it."
  (interactive)
  (let ((index (+ fovea--version-index (if newer -1 1))))
    (unless (< -1 index (length fovea--version-commits))
      (user-error "Fovea: this is the %s version" (if newer "newest" "oldest")))
    (fovea--version-fill index)))

(defun fovea-version-newer ()
  "Show the version after this one."
  (interactive)
  (fovea-version-older t))

(defun fovea--confirm (name text question)
  "Show TEXT in the buffer NAME, and go on if the answer to QUESTION is yes."
  (save-window-excursion
    (fovea--show-diff name text)
    (unless (yes-or-no-p question) (user-error "Fovea: nothing was changed"))))

;;;###autoload
(defun fovea-restore (at)
  "Restore the file of this buffer as it was AT a moment.
In a version of a note that is its file at that version.  What would change is
shown first; nothing is done unless you say yes, nor if the file was changed in
between."
  (interactive
   (list (if fovea--version-commits
             (format "seq:%d" (alist-get 'seq (nth fovea--version-index fovea--version-commits)))
           (read-string "As it was at (a date, a snapshot, seq:N): "))))
  (fovea--connect)
  (let* ((path (or fovea--version-path (fovea--path)
                   (user-error "Fovea: this buffer has no file of the memex")))
         (request `((files . ,(vector path)) (at . ,at)))
         (ask (lambda ()
                (alist-get 'would (fovea--call "restore" `((dry_run . t) (text . t) ,@request)))))
         (would (funcall ask)))
    (when (string-empty-p (fovea--difference-text would))
      (user-error "Fovea: %s is as it was then" path))
    (fovea--confirm "*fovea restore*" (fovea--difference-text would)
                    (format "Restore %s as it was at %s? " path at))
    (unless (equal would (funcall ask)) (user-error "Fovea: %s changed meanwhile; look again" path))
    (fovea--call "restore" request)
    (fovea--refresh-buffers)
    (message "Fovea: %s is as it was at %s" path at)))

;;;###autoload
(defun fovea-versions ()
  "Show the versions of the note at point, older ones with `p'."
  (interactive)
  (fovea--show-version (fovea--id-here)))

;;;; Today

(defvar-local fovea--today-upto nil "What `fovea-today-seen' counts as seen.")

(define-derived-mode fovea-today-mode special-mode "Fovea Today"
  "What waits for you, and what agents wrote and were given since you looked.
\\{fovea-today-mode-map}"
  (setq-local revert-buffer-function (lambda (&rest _) (fovea--today-fill))))
(fovea--keys fovea-today-mode-map "RET" #'fovea-today-show "d" #'fovea-today-show
             "a" #'fovea-today-accept "e" #'fovea-today-edit "r" #'fovea-today-reject
             "t" #'fovea-today-take-back "s" #'fovea-today-seen)

(defun fovea--today-row (property value format &rest args)
  "Insert a line of FORMAT and ARGS with VALUE as its PROPERTY."
  (insert (propertize (concat (apply #'format format args) "\n") property value)))

(defun fovea--given (news status)
  "Return the windows that agents were given since the NEWS begin, oldest first.
STATUS names the sessions.  Each window is an alist with its agent and session."
  (let ((since (alist-get 'since news)) (asked nil) (given nil))
    (dolist (scope (alist-get 'scopes status)) ; an agent that names no session has that of its name
      (when (string-prefix-p "session/" scope) (push (list (substring scope 8) nil) asked)))
    (dolist (agent (append (fovea--call "agents") (alist-get 'sessions news)))
      (let-alist agent
        (let ((name (or .name .agent)))
          (push (list name (unless (equal .session name) .session)) asked))))
    (pcase-dolist (`(,agent ,session) (seq-uniq asked))
      (dolist (window (ignore-errors
                        (fovea--call "windows" `((agent . ,agent) (limit . ,fovea-search-limit))
                                     (and session `(("Fovea-Session" . ,session))))))
        (let-alist window
          (when (or (null since) (time-less-p (fovea--time since) (fovea--time .time)))
            (push `((agent . ,agent) (session . ,session) ,@window) given)))))
    (seq-sort-by (lambda (window) (alist-get 'time window)) #'string< (seq-uniq given))))

(defun fovea--today-fill ()
  "Fill the buffer of `fovea-today' and return it."
  (let* ((proposals (fovea--call "review"))
         (news (fovea--call "news"))
         (status (fovea--call "status"))
         (lockdown (alist-get 'lockdown status))
         (given (fovea--given news status))
         (messages (fovea--call "messages" '((unread . t))))
         (line (if (derived-mode-p 'fovea-today-mode) (line-number-at-pos) 1))
         (fill
          (lambda ()
            (dolist (path lockdown)
              (insert (format "Locked down: %s; see `fovea guard diff'\n" path)))
            (dolist (message messages)
              (let-alist message
                (fovea--today-row 'fovea-note message "Message of %s, %s: %s" .from
                                  (fovea--when .sent) (fovea--line .subject))))
            (insert (propertize "Proposals that wait\n" 'face 'bold))
            (unless proposals (insert "  none\n"))
            (dolist (p proposals)
              (let-alist p
                (fovea--today-row 'fovea-proposal p "  %s  %s %s: %s (%s)" (fovea--when .made)
                                  .agent .op (fovea--line .title) .path)))
            (insert (propertize "\nWritten by agents since you looked\n" 'face 'bold))
            (unless (alist-get 'sessions news) (insert "  nothing\n"))
            (dolist (session (alist-get 'sessions news))
              (let-alist session
                (fovea--today-row 'fovea-work .commits "  %s: %d commits%s" .agent
                                  (length .commits)
                                  (if .session (format ", session %s" .session) ""))
                (dolist (commit .commits)
                  (fovea--today-row 'fovea-work (list commit) "  %s"
                                    (fovea--commit-line commit)))))
            (insert (propertize "\nGiven to agents since you looked\n" 'face 'bold))
            (unless given (insert "  nothing\n"))
            (dolist (window given)
              (let-alist window
                (fovea--today-row 'fovea-given window "  %s  %s: %d tokens for %s"
                                  (fovea--when .time) .agent .tokens
                                  (fovea--line (or .question .task .focus "no question"))))))))
    (with-current-buffer (fovea--buffer "*fovea today*" 'fovea-today-mode fill)
      (setq fovea--today-upto (alist-get 'upto news))
      (forward-line (1- line))
      (current-buffer))))

;;;###autoload
(defun fovea-today ()
  "Show the proposals that wait, and what agents wrote and were given since then.
That is, since you pressed `s' there."
  (interactive)
  (pop-to-buffer (fovea--today-fill)))

(defun fovea--today-proposal ()
  "Return the proposal of this line."
  (or (get-text-property (point) 'fovea-proposal) (user-error "Fovea: no proposal on this line")))

(defun fovea-today-show ()
  "Show what the proposal of this line would change, or its commit changed.
On a window, show the window as it was given; on a message, go there."
  (interactive)
  (if-let ((work (get-text-property (point) 'fovea-work)))
      (fovea-commit (alist-get 'seq (car work)))
    (let ((given (get-text-property (point) 'fovea-given))
          (note (get-text-property (point) 'fovea-note)))
      (cond (given
             (let-alist given           ; as its agent got it
               (let ((answer (car (fovea--call
                                   "windows" `((id . ,(number-to-string .id)) (agent . ,.agent))
                                   (and .session `(("Fovea-Session" . ,.session)))))))
                 (fovea--window-show `((text . ,(alist-get 'content answer)) ,@answer) nil))))
            (note (fovea-visit note t))
            (t (let* ((id (alist-get 'id (fovea--today-proposal)))
                      (now (seq-find (lambda (p) (equal (alist-get 'id p) id))
                                     (fovea--call "review" `((id . ,id))))))
                 (unless now (user-error "Fovea: this proposal does not wait any more"))
                 (fovea--show-diff "*fovea proposal*" (or (alist-get 'change now) ""))))))))

(defun fovea--today-decide (operation done &rest request)
  "Ask OPERATION, with REQUEST, about the proposal of this line; report DONE."
  (let-alist (fovea--today-proposal)
    (fovea--call operation `((id . ,.id) ,@request))
    (fovea--today-fill)
    (message "Fovea: %s %s" done (fovea--line .title))))

(defun fovea-today-accept ()
  "Carry out the proposal of this line, as its agent's commit."
  (interactive)
  (fovea--today-decide "review-accept" "accepted"))

(defun fovea-today-reject (reason)
  "Drop the proposal of this line; its agent is told the REASON."
  (interactive (progn (fovea--today-proposal) (list (read-string "Reason: "))))
  (fovea--today-decide "review-reject" "rejected" (cons 'reason reason)))

(defun fovea-today-edit ()
  "Edit the text of the proposal of this line, beside what is there, with ediff."
  (interactive)
  (let-alist (fovea--today-proposal)
    (let* ((text (or .request.body .request.append
                     (user-error "Fovea: this proposal sets no text; accept or reject it")))
           (now (and .request.id (ignore-errors (fovea--call "show" `((id . ,.request.id))))))
           (before (fovea--buffer "*fovea now*" 'outline-mode
                                  (lambda () (insert (or (alist-get 'content now) "")))))
           (buffer (get-buffer-create (format "*fovea edit %s*" .id))))
      (with-current-buffer buffer
        (unless (buffer-modified-p)     ; what was changed and not sent stays
          (fovea-edit-mode)
          (erase-buffer)
          (insert text)
          (set-buffer-modified-p nil))
        (setq fovea--edit-send
              (lambda ()
                (fovea--call "review-edit"
                             `((id . ,.id) (body . ,(fovea--text (point-min) (point-max)))))
                (when (get-buffer "*fovea today*") (fovea--today-fill))
                "the proposal has your text; accept it in `fovea-today'")))
      (ediff-buffers before buffer))))

(defun fovea--revert-text (answer)
  "Return what ANSWER, of a dry run, would do."
  (let-alist answer
    (let ((lines (lambda (format list) (mapconcat (lambda (x) (format format x)) list ""))))
      (concat
       "Takes back the commits" (funcall lines " %d" .commits) "\n"
       (funcall lines "writes   %s\n" (seq-difference .files .removed))
       (funcall lines "removes  %s\n" .removed)
       (funcall lines "leaves   %s\n" .left)
       (mapconcat (lambda (conflict)
                    (let-alist conflict
                      (format "conflict %s: %s, by %s, is lost\n" .path .field .by)))
                  .conflicts "")
       "\n" (fovea--difference-text .would)))))

(defun fovea-today-take-back ()
  "Take back the work of the agent of this line, or the commit of this line.
What would be done is shown first; nothing is done unless you say yes, nor if
something was written in between."
  (interactive)
  (let* ((work (or (get-text-property (point) 'fovea-work)
                   (user-error "Fovea: no work of an agent on this line")))
         (request `((commits . ,(vconcat (mapcar (lambda (c) (format "seq:%d" (alist-get 'seq c)))
                                                 work)))
                    (head . ,(alist-get 'seq (car (fovea--call "log" '((limit . 1))))))))
         (answer (fovea--call "revert" `((dry_run . t) (text . t) ,@request))))
    (unless (alist-get 'commits answer) (user-error "Fovea: nothing of it is left to take back"))
    (fovea--confirm "*fovea take back*" (fovea--revert-text answer)
                    (format "Take back %d commits of %s? " (length work)
                            (alist-get 'author (car work))))
    (setq answer (fovea--call "revert" request))
    (fovea--today-fill)
    (message "Fovea: taken back, as commit %d" (alist-get 'seq answer))))

(defun fovea-today-seen ()
  "Count what is listed as seen."
  (interactive)
  (fovea--call "news-seen" `((upto . ,(or fovea--today-upto
                                          (user-error "Fovea: nothing is listed")))))
  (fovea--today-fill))

;;;; What changes while you work

(defvar fovea--changed-timer nil "What looks at buffers and counts after an event.")
(defvar fovea--counts nil "How many of each mark the mode line has.")
(defvar fovea--mode-line "" "What the mode line says of the memory.")
(put 'fovea--mode-line 'risky-local-variable t)

(defvar fovea--changed-paths nil "The files that changed and were not looked at; t is every one.")

(defun fovea--changed (paths)
  "Look soon at the buffers of the files PATHS, a list; t is every one."
  (setq fovea--changed-paths (if (and (listp paths) (listp fovea--changed-paths))
                                 (append paths fovea--changed-paths)
                               t))
  (unless fovea--changed-timer
    (setq fovea--changed-timer
          (run-at-time 0.05 nil
                       (lambda ()
                         (let ((paths fovea--changed-paths))
                           (setq fovea--changed-timer nil fovea--changed-paths nil)
                           (when (and paths (bound-and-true-p fovea-mode))
                             (fovea--refresh-buffers paths))))))))

(defun fovea--stale-p (buffer)
  "Whether BUFFER is unmodified, and its file of the memex newer than it."
  (and (buffer-live-p buffer)
       (not (buffer-base-buffer buffer))
       (fovea--path buffer)
       (not (buffer-modified-p buffer))
       (not (fovea--encrypted-p buffer))
       (file-readable-p (buffer-file-name buffer))
       (not (verify-visited-file-modtime buffer))))

(defvar-local fovea--pushed nil "What Fovea has of this buffer: (PATH TICK TEXT-TOO), or nil.")
(put 'fovea--pushed 'permanent-local t)
(defvar fovea--telling nil "What Fovea is told of buffers; the first is on its way.")
(defvar fovea--push-timer nil "What sends the text of buffers while Emacs is idle.")
(defconst fovea--push-max (* 4 1024 1024) "How many bytes of a buffer are sent.")

(defun fovea--push-hooks (on)
  "Have Fovea told of buffers with unsaved text if ON is non-nil."
  (when fovea--push-timer (cancel-timer fovea--push-timer))
  (setq fovea--push-timer (and on (run-with-idle-timer fovea-delay t #'fovea--push-all)))
  (pcase-dolist (`(,hook . ,function) '((first-change-hook . fovea--hold)
                                        (after-save-hook . fovea--push-here)
                                        (after-revert-hook . fovea--push-here)
                                        (kill-buffer-hook . fovea--let-go)))
    (funcall (if on #'add-hook #'remove-hook) hook function)))

(defun fovea--push-again (client)
  "Tell CLIENT, our stream, of every buffer with unsaved text, from now on."
  (setq fovea--client client fovea--telling nil)
  (fovea--push-hooks t)
  (dolist (buffer (buffer-list)) (with-current-buffer buffer (setq fovea--pushed nil)))
  (fovea--push-all))

(defun fovea--push-all ()
  "Tell Fovea what is new in buffers since it was told."
  (when fovea--client
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer
        (when (or fovea--pushed (and buffer-file-name (buffer-modified-p)))
          (with-demoted-errors "Fovea: %S" (fovea--push-here)))))))

(defun fovea--push-here ()
  "Tell Fovea the state of this buffer, if it was told another one."
  (let ((path (and fovea--client (buffer-modified-p) (not (buffer-base-buffer)) (fovea--path)))
        (tick (buffer-chars-modified-tick)))
    (unless (or (null fovea--pushed) (equal path (car fovea--pushed))) (fovea--let-go))
    (unless (or (null path) (equal tick (nth 1 fovea--pushed)))
      (let* ((text (and (not (fovea--encrypted-p (current-buffer)))
                        (save-restriction (widen) (fovea--text (point-min) (point-max)))))
             (sent (and text (<= (string-bytes text) fovea--push-max))))
        (setq fovea--pushed (list path tick sent))
        (fovea--push path (and sent text))))))

(defun fovea--push (path text)
  "Tell Fovea that the buffer of PATH is not saved, with its TEXT if it has any."
  (let ((request `((client . ,fovea--client) (path . ,path) (buffer . ,(buffer-name))
                   (modified . t)))
        (buffer (current-buffer)))
    (fovea--tell (if text `(,@request (text . ,text)) request)
                 (lambda (failure)
                   (if (and text (buffer-live-p buffer)) ; no Unicode, or too much: a hold at least
                       (with-current-buffer buffer
                         (when fovea--pushed
                           (setf (nth 2 fovea--pushed) nil)
                           (fovea--push path nil)))
                     (unless (member failure fovea--warned)
                       (push failure fovea--warned)
                       (message "Fovea: %s" failure)))))))

(defun fovea--tell (request failed)
  "Send REQUEST of a buffer after those before it, so that none overtakes another.
FAILED gets the error line, if there is one."
  (setq fovea--telling (append fovea--telling (list (cons request failed))))
  (unless (cdr fovea--telling) (fovea--tell-next)))

(defun fovea--tell-next ()
  "Send the first request of a buffer that waits."
  (when-let ((next (car fovea--telling)))
    (let ((done (lambda (_answer failure)
                  (when (eq next (car fovea--telling)) ; else the stream is another one
                    (when (and failure fovea--client) (funcall (cdr next) failure))
                    (pop fovea--telling)
                    (fovea--tell-next)))))
      (condition-case err (fovea--ask "buffer-update" (car next) done)
        (error (funcall done nil (error-message-string err)))))))

(defun fovea--hold ()
  "Have the file of this buffer held, which is about to change."
  (with-demoted-errors "Fovea: %S"      ; no error may keep it from changing
    (with-current-buffer (or (buffer-base-buffer) (current-buffer))
      (when-let ((path (and fovea--client buffer-file-name (not fovea--pushed) (fovea--path))))
        (setq fovea--pushed (list path))
        (fovea--push path nil)))))

(defun fovea--let-go ()
  "Tell Fovea that this buffer was saved, reverted or closed."
  (when (and fovea--pushed (not (buffer-base-buffer))) ; a clone has the value of its base
    (let ((path (car fovea--pushed)))
      (setq fovea--pushed nil)
      (when fovea--client
        (fovea--tell `((client . ,fovea--client) (path . ,path)) #'ignore)))))

(defun fovea--encrypted-p (buffer)
  "Whether the file of BUFFER is encrypted."
  (string-match-p "\\.\\(?:gpg\\|age\\)\\'" (buffer-file-name buffer)))

(defun fovea--refresh-buffers (&optional paths)
  "Read the files again that changed below unmodified buffers.
PATHS are those to look at; t or nil is every one."
  (dolist (buffer (buffer-list))
    (when (and (buffer-file-name buffer)
               (or (not (consp paths)) (member (fovea--path buffer) paths))
               (fovea--stale-p buffer))
      (with-demoted-errors "Fovea: %S" (with-current-buffer buffer (fovea--refresh))))))

(defun fovea--refresh ()
  "Read the file of this buffer again; point, undo and narrowing stay."
  (let ((narrowed (buffer-narrowed-p))
        (from (copy-marker (point-min) t)) ; what comes just before it stays outside
        (to (copy-marker (point-max) t))
        (undo buffer-undo-list)
        (locked buffer-read-only)
        (revert-buffer-insert-file-contents-function
         #'revert-buffer-insert-file-contents-delicately)
        (revert-buffer-with-fine-grain-max-seconds 0.5)
        (inhibit-message t))
    (revert-buffer t t t)
    (setq buffer-read-only locked)
    (when (and (null buffer-undo-list) (consp undo)) (setq buffer-undo-list undo))
    (when (and narrowed (< from to)) (narrow-to-region from to))))

(defun fovea--count (mark)
  "Count in the background what MARK stands for in the mode line."
  (pcase-let ((`(,operation . ,request)
               (pcase mark
                 (?L '("status")) (?P '("review"))
                 (?M '("messages" (unread . t)))
                 (?C '("query" (query . "tags:conflict") (limit . 100))))))
    (fovea--ask operation request
                (lambda (answer failure)
                  (unless failure
                    (fovea--counted
                     mark (pcase mark
                            (?L (length (alist-get 'lockdown answer)))
                            (?C (length (seq-uniq (mapcar (lambda (n) (alist-get 'path n)) answer))))
                            (_ (length answer)))))))))

(defun fovea--counted (mark number)
  "Have NUMBER at MARK in the mode line."
  (setf (alist-get mark fovea--counts) number)
  (fovea--mode-line-show))

(defun fovea--mode-line-show ()
  "Make the mode line say what was counted."
  (let ((counts (mapconcat (lambda (mark)
                             (let ((n (alist-get mark fovea--counts 0)))
                               (if (> n 0) (format "%c%d" mark n) "")))
                           '(?L ?C ?P ?M) "")))
    (setq fovea--mode-line
          (cond ((not (process-live-p fovea--stream))
                 (propertize " Fovea:gone" 'help-echo "The Fovea daemon does not answer"))
                ((string-empty-p counts) "")
                (t (propertize (concat " Fovea:" counts) 'help-echo
                               (concat "L files locked down, C with conflicts, P proposals, "
                                       "M messages: M-x fovea-today")))))
    (force-mode-line-update t)))

;;;###autoload
(define-minor-mode fovea-mode
  "Follow the memory: what agents write appears in unmodified buffers.
The mode line has L for files that are locked down, C for those with conflicts,
P for proposals that wait and M for unread messages.  Text that you have not
saved is seen by your searches and windows, and its file is written by nobody
else through Fovea.  The daemon is looked for in the background, so that this
may stand in your init file."
  :global t
  (fovea--stream-stop)
  (setq fovea--counts nil fovea--mode-line "" fovea--stream-delay 1
        global-mode-string (delq 'fovea--mode-line (ensure-list global-mode-string)))
  (fovea--push-hooks nil)
  (when fovea-mode
    (setq fovea--daemon nil fovea--finding nil
          global-mode-string `("" ,@(remove "" global-mode-string) fovea--mode-line))
    (fovea--stream-start)))

;;;; Settings of Org

(defun fovea--toml (value)
  "Return VALUE, a string, a list of strings or a truth value, as TOML writes it."
  (pcase value
    ((or 't 'nil) (if value "true" "false"))
    ((pred listp) (format "[%s]" (mapconcat #'fovea--toml value ", ")))
    (_ (decode-coding-string (substring (fovea--encode (vector value)) 1 -1) 'utf-8))))

(defun fovea--settings-tags (tags)
  "Return TAGS, a value of `org-tag-alist', as it stands behind #+TAGS:."
  (mapconcat (lambda (tag)
               (pcase tag
                 ('(:startgroup) "{") ('(:endgroup) "}") ('(:grouptags) ":") ('(:newline) "")
                 ('(:startgrouptag) "[") ('(:endgrouptag) "]")
                 ((and `(,(and name (pred stringp)) . ,key) (guard (characterp key)))
                  (format "%s(%c)" name key))
                 (`(,(and name (pred stringp)) . ,_) name)
                 ((pred stringp) tag) (_ "")))
             tags " "))

(defun fovea--settings ()
  "Return the lines of the table org of Fovea's configuration for this Emacs."
  (let* ((line (lambda (key value) (format "%s = %s\n" key (fovea--toml value))))
         (tags (append org-tag-persistent-alist org-tag-alist))
         (links (seq-group-by (lambda (link) (stringp (cdr link))) org-link-abbrev-alist))
         (logs `(("log_done" . ,org-log-done) ("log_repeat" . ,org-log-repeat)
                 ("log_reschedule" . ,org-log-reschedule)
                 ("log_redeadline" . ,org-log-redeadline) ("log_refile" . ,org-log-refile))))
    (concat
     "[org]\n"
     (funcall line "todo"               ; (sequence "A" "|" "B"), or of old a list of words
              (mapcar (lambda (sequence) (string-join (seq-filter #'stringp sequence) " "))
                      (if (stringp (car org-todo-keywords)) (list org-todo-keywords)
                        org-todo-keywords)))
     (if tags (funcall line "tags" (list (string-trim (fovea--settings-tags tags)))) "")
     (mapconcat (lambda (log)           ; time, note, or nil; other true values mean time
                  (funcall line (car log)
                           (pcase (cdr log) ('nil nil) ('note "note") (_ "time"))))
                logs "")
     (funcall line "log_into_drawer" org-log-into-drawer)
     (funcall line "archive" org-archive-location)
     (if (alist-get t links)
         (format "links = { %s }\n"
                 (mapconcat (lambda (link)
                              (format "%s = %s" (fovea--toml (car link)) (fovea--toml (cdr link))))
                            (alist-get t links) ", "))
       "")
     (mapconcat (lambda (link) (format "# the link %s is made by a function\n" (car link)))
                (alist-get nil links) ""))))

;;;###autoload
(defun fovea-send-settings ()
  "Give Fovea the keywords, tags, logs, archive and links of Org in this Emacs.
They come into the configuration of Fovea, in a buffer, for you to look at and
to save; a daemon follows the file.  Notes and agents cannot write there, and
so nothing but you does."
  (interactive)
  (require 'org)
  (require 'org-refile)
  (let ((settings (fovea--settings))
        (folder (getenv "XDG_CONFIG_HOME")))
    (find-file (expand-file-name "fovea/config.toml"
                                 (if (member folder '(nil "")) "~/.config" folder)))
    (when (and default-directory (not (file-directory-p default-directory)))
      (make-directory default-directory t))
    (barf-if-buffer-read-only)
    (widen)
    (goto-char (point-min))
    (let ((table "^[ \t]*\\[[^],\n]+\\]+[ \t]*\\(?:#.*\\)?$") (from nil))
      (while (re-search-forward "^[ \t]*\\[org\\(?:\\.[^]\n]*\\)?\\][ \t]*\\(?:#.*\\)?$" nil t)
        (setq from (match-beginning 0))
        (delete-region from (if (re-search-forward table nil t) (match-beginning 0) (point-max)))
        (goto-char from))
      (goto-char (or from (point-max)))
      (unless (bolp) (insert "\n"))
      (unless (or from (bobp)) (insert "\n"))
      (save-excursion (insert settings (if (eobp) "" "\n"))))
    (message "Fovea: look at the lines, and save them; a daemon follows within two seconds")))

;;;; Other packages

(defvar fovea--candidates (make-hash-table :test 'equal) "Notes by their candidates.")

(defun fovea--candidate (node)
  "Return NODE as a candidate of completion."
  (let* ((place (format "%s:%s" (alist-get 'path node) (alist-get 'line node)))
         (candidate (concat (fovea--line (alist-get 'title node)) "  "
                            (propertize place 'face 'shadow))))
    (puthash (substring-no-properties candidate) node fovea--candidates)
    candidate))

(defun fovea--candidate-node (candidate)
  "Return the note of CANDIDATE, if it has one."
  (and candidate (gethash (substring-no-properties candidate) fovea--candidates)))

(defun fovea--consult-source (sink)
  "Return a source of consult that hands notes which match what is typed to SINK."
  (let (wanted)
    (lambda (action)
      (when (stringp action) (setq wanted action))
      (if (not (and (stringp action) (not (string-blank-p action)))) (funcall sink action)
        (fovea--search-ask (fovea--search-requests action)
                           (lambda (nodes failure)
                             (when failure (minibuffer-message "Fovea: %s" failure))
                             (when (and (not failure) (equal action wanted))
                               (clrhash fovea--candidates)
                               (funcall sink 'flush)
                               (funcall sink (mapcar #'fovea--candidate nodes))
                               (funcall sink 'refresh))))
        nil))))

(defun fovea--consult-preview (action candidate)
  "Show CANDIDATE, a note, if ACTION is preview; its file is not visited."
  (when-let ((id (and (eq action 'preview) (alist-get 'id candidate))))
    (fovea--ask "show" `((id . ,id))
                (lambda (node failure)
                  (unless failure
                    (display-buffer
                     (fovea--buffer "*fovea note*" 'outline-mode
                                    (lambda () (insert (or (alist-get 'content node) ""))))))))))

;;;###autoload
(defun fovea-consult ()
  "Search the memory with consult, and go to the note that you select."
  (interactive)
  (unless (require 'consult nil t) (user-error "Fovea: consult is not installed"))
  (fovea--connect)
  (let ((windows (current-window-configuration)) found)
    (unwind-protect
        (setq found
              (consult--read
               (thread-first (consult--async-sink) (consult--async-refresh-timer)
                             (fovea--consult-source) (consult--async-throttle)
                             (consult--async-split))
               :prompt "Note: " :initial (consult--async-split-initial nil)
               :category 'fovea-note :sort nil :require-match t :history 'fovea-search-history
               :lookup (lambda (selected &rest _) (fovea--candidate-node selected))
               :state #'fovea--consult-preview))
      (set-window-configuration windows))
    (fovea-visit (or found (user-error "Fovea: no note is selected")))))

(defun fovea--embark-target ()
  "Return the note of this line of a table, as a target of embark."
  (when-let ((node (and (derived-mode-p 'fovea-table-mode) (tabulated-list-get-id))))
    (when (alist-get 'path node)
      `(fovea-note ,(fovea--candidate node) . (,(line-beginning-position) . ,(line-end-position))))))

(defmacro fovea--embark-action (name doc node &rest body)
  "Define NAME with DOC, an action of embark that does BODY with the note NODE."
  (declare (indent 3))
  `(defun ,name (candidate)
     ,(concat doc "\nCANDIDATE is what embark acts on.")
     (let ((,node (or (fovea--candidate-node candidate)
                      (user-error "Fovea: this is no note"))))
       ,@body)))
(fovea--embark-action fovea-embark-visit "Go to a note." node (fovea-visit node))
(fovea--embark-action fovea-embark-versions "Show the versions of a note." node
  (fovea--show-version (alist-get 'id node)))
(fovea--embark-action fovea-embark-window "Make a window for a note." node
  (fovea--window-make `((focus . ,(alist-get 'id node))) nil))
(fovea--embark-action fovea-embark-link "Put a link to a note into the kill ring." node
  (kill-new (format "[[id:%s][%s]]" (alist-get 'id node) (fovea--line (alist-get 'title node)))))

(defvar fovea-embark-map
  (fovea--keys (make-sparse-keymap) "RET" #'fovea-embark-visit "v" #'fovea-embark-versions
               "w" #'fovea-embark-window "l" #'fovea-embark-link)
  "What embark does with notes.")

(with-eval-after-load 'embark
  (add-to-list 'embark-keymap-alist '(fovea-note . fovea-embark-map))
  (add-to-list 'embark-target-finders #'fovea--embark-target))

(defun fovea--gptel-ask (operation request answer done)
  "Ask OPERATION with REQUEST as the agent gptel, which may do what agents may.
DONE gets what ANSWER makes of the answer, or the error."
  (let ((ask (lambda (failure)
               (if failure (funcall done (concat "Error: " failure))
                 (fovea--ask operation request
                             (lambda (value failure)
                               (funcall done (if failure (concat "Error: " failure)
                                               (funcall answer value))))
                             '(("Fovea-Agent" . "gptel")))))))
    (if fovea--daemon (funcall ask nil) (fovea--find ask))))

(with-eval-after-load 'gptel
  (when (fboundp 'gptel-make-tool)
    (gptel-make-tool
     :name "fovea_context" :category "fovea" :async t :include t
     :description "Notes of the user that answer a question, within a budget of tokens"
     :args '((:name "question" :type string :description "the question, in words"))
     :function (lambda (done question)
                 (fovea--gptel-ask "context" `((question . ,question)
                                               (budget . ,fovea-window-budget))
                                   (lambda (window) (alist-get 'text window)) done)))
    (gptel-make-tool
     :name "fovea_remember" :category "fovea" :async t :confirm t
     :description "Remember a note"
     :args '((:name "title" :type string :description "one line")
             (:name "body" :type string :description "the text"))
     :function (lambda (done title body)
                 (fovea--gptel-ask "remember" `((title . ,title) (body . ,body))
                                   (lambda (node)
                                     (if (alist-get 'proposal node)
                                         "It is proposed; the user decides about it"
                                       (format "It is in %s" (alist-get 'path node))))
                                   done)))))

;;;###autoload (autoload 'fovea-menu "fovea" nil t)
(transient-define-prefix fovea-menu ()
  "The commands of Fovea."
  [["Find" ("s" "search" fovea-search) ("q" "query" fovea-query)
    ("c" "capture" fovea-capture) ("S" "send settings of Org" fovea-send-settings)]
   ["Window" ("w" "of region or note" fovea-window) ("W" "for a question" fovea-window-question)
    ("y" "why this line" fovea-why)]
   ["Note at point" ("l" "log" fovea-log) ("d" "diff" fovea-diff) ("b" "blame" fovea-blame)
    ("v" "versions" fovea-versions) ("r" "restore its file" fovea-restore)]
   ["Agents" ("t" "today" fovea-today) ("p" "focus is here" fovea-point-update)
    ("P" "focus follows point" fovea-point-mode) ("f" "follow the memory" fovea-mode)]])

(provide 'fovea)
;;; fovea.el ends here
