package monitor

import (
	"fmt"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/pageserver"
)

// maxProfile is how long a profile may be taken for.
const maxProfile = 5 * time.Minute

// profiles serves what "go tool pprof" and "go tool trace" ask for. It does without
// net/http/pprof, which shows the profiles to everybody whom the process serves
// http.DefaultServeMux, as soon as it is linked.
func profiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		for _, p := range pprof.Profiles() {
			fmt.Fprintf(w, "%s?debug=1\t%d\n", p.Name(), p.Count())
		}
		fmt.Fprint(w, "profile?seconds=30\ntrace?seconds=5\n")
	})
	mux.HandleFunc("GET /debug/pprof/{name}", func(w http.ResponseWriter, r *http.Request) {
		p := pprof.Lookup(r.PathValue("name"))
		if p == nil {
			http.Error(w, "there is no such profile; see /debug/pprof/", http.StatusNotFound)
			return
		}
		debug, _ := strconv.Atoi(r.FormValue("debug")) // 0 means for programs
		binary(w, debug == 0)
		_ = p.WriteTo(w, debug) // a client that has gone
	})
	mux.HandleFunc("GET /debug/pprof/profile", timed(30*time.Second, func(w http.ResponseWriter) (func(), error) {
		return pprof.StopCPUProfile, pprof.StartCPUProfile(w)
	}))
	mux.HandleFunc("GET /debug/pprof/trace", timed(time.Second, func(w http.ResponseWriter) (func(), error) {
		return trace.Stop, trace.Start(w)
	}))
}

func binary(w http.ResponseWriter, is bool) {
	kind := "text/plain; charset=utf-8"
	if is {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
}

// timed serves what is recorded for some seconds.
func timed(usual time.Duration, start func(http.ResponseWriter) (stop func(), err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d := profileTime(r.FormValue("seconds"), usual)
		// Its time is known: those for all other answers do not hold.
		out := http.NewResponseController(w)
		_ = out.SetReadDeadline(time.Time{})
		_ = out.SetWriteDeadline(time.Now().Add(d + pageserver.WriteTime))
		binary(w, true)
		stop, err := start(w)
		if err != nil {
			http.Error(w, "another one is being taken: "+err.Error(), http.StatusConflict)
			return
		}
		defer stop()
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
	}
}

// profileTime returns the duration of a profile for the requested number of seconds.
func profileTime(seconds string, usual time.Duration) time.Duration {
	s, err := strconv.ParseFloat(seconds, 64)
	if err != nil || !(s > 0) { // not a number is neither
		return usual
	}
	return time.Duration(min(s, maxProfile.Seconds()) * float64(time.Second))
}
