// Package pageserver serves a page on this machine, or by a token on others, to its operator and nobody else.
package pageserver

import (
	"log/slog"
	"net/http"
	"time"
)

// Timeouts for clients. Reading has short ones, since connections are limited. A response that takes
// longer than WriteTime sets deadlines itself.
const (
	headerTime = 2 * time.Second
	readTime   = 5 * time.Second
	WriteTime  = 30 * time.Second
	idleTime   = 10 * time.Second
)

// New returns a server for a listener of [Listen]. The handler is behind [Guard.Protect].
func New(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: WriteTime, IdleTimeout: idleTime,
		MaxHeaderBytes: 16 << 10,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
