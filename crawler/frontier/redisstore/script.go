package redisstore

import (
	"crypto/sha1" //nolint:gosec // how Redis names scripts
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
)

//go:embed script/*.lua
var scriptFiles embed.FS

// scriptText returns the text of script/NAME.lua.
func scriptText(name string) string {
	text, err := scriptFiles.ReadFile("script/" + name + ".lua")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A script is one of a crawl. The crawl's name and ID stand in its text, so that no
// other crawl has it: a server that does not know it has not yet worked for this
// crawl since it began to run.
type script struct {
	text, sha string
}

// Scripts are those of a crawl: one for its shards, which on one server may work on
// several, and one for the crawl as a whole. The first argument selects the operation.
// A restarted server does not know the script of the shards until all of them have run
// boot, so that no worker misses the restart.
type scripts struct {
	shard, crawl, boot script
}

func newScripts(l *layout) scripts {
	return scripts{
		shard: newScript(l, "lib", "turn", "heads", "extend", "hold", "unhold", "release", "update", "host", "stats", "list",
			"reclaim", "intent"),
		boot:  newScript(l, "lib", "boot"),
		crawl: newScript(l, "crawl", "join", "sync", "tell", "take", "settle"),
	}
}

// newScript joins a library and the parts that its calls choose from.
func newScript(l *layout, lib string, parts ...string) script {
	var b strings.Builder
	fmt.Fprintf(&b, "local CRAWL, NS = '%s', '%s'\n%s\n", l.id, l.namespace, scriptText(lib))
	for i, part := range parts {
		if i > 0 {
			b.WriteString("else")
		}
		fmt.Fprintf(&b, "if ARGV[1] == '%s' then\n%s\n", part, scriptText(part))
	}
	b.WriteString("end")
	sum := sha1.Sum([]byte(b.String())) //nolint:gosec // how Redis names scripts
	return script{text: b.String(), sha: hex.EncodeToString(sum[:])}
}
