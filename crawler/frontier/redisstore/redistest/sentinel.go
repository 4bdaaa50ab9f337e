package redistest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A SentinelGroup has a master, a replica and their Sentinels. The replica takes over when the master
// has been unreachable for half a second.
type SentinelGroup struct {
	Master, Replica *Server
	Sentinels       []*Server
}

// URL returns the addresses of the Sentinels for redisstore.Open.
func (w *SentinelGroup) URL() string {
	return urlOf(w.Sentinels) + "?master=main"
}

// StartSentinels starts a master, its replica and three Sentinels.
func StartSentinels(t testing.TB, options ...string) *SentinelGroup {
	t.Helper()
	const sentinels, quorum = 3, 2
	w := &SentinelGroup{Master: Start(t, options...)}
	w.Replica = Start(t, append([]string{"--replicaof", "127.0.0.1 " + strconv.Itoa(w.Master.port)}, options...)...)
	w.Master.WaitForReplicas(t)
	for range sentinels {
		w.Sentinels = append(w.Sentinels, start(t, func(s *Server) {
			s.config = filepath.Join(s.dir, "sentinel")
			text := fmt.Sprintf("sentinel monitor main 127.0.0.1 %d %d\n", w.Master.port, quorum) +
				"sentinel down-after-milliseconds main 500\n" +
				"sentinel failover-timeout main 3000\n"
			if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
				t.Fatalf("redistest: %v", err)
			}
		}))
	}
	for _, s := range w.Sentinels {
		until(t, "the Sentinels to know each other", func() bool {
			line := s.Do(t, "INFO", "sentinel")
			return strings.Contains(line, "slaves=1,sentinels="+strconv.Itoa(sentinels))
		})
	}
	return w
}
