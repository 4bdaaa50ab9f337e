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

// A script belongs to one crawl, since its text contains the name and ID of the crawl. A
// server that does not know it has not executed it since the server was started.
type script struct {
	text, sha string
}

// scripts are the scripts of a crawl: one for its shards, one for the crawl as a whole, and
// boot. The first argument selects the operation. A restarted server does not know the script
// of the shards until all shards have executed boot, so no worker misses the restart.
type scripts struct {
	shard, crawl, boot script
}

func newScripts(l *layout) scripts {
	return scripts{
		shard: newScript(l, "lib", "transaction", "heads", "extend", "hold", "unhold", "release", "update", "host", "stats", "list",
			"reclaim", "intent"),
		boot:  newScript(l, "lib", "boot"),
		crawl: newScript(l, "crawl", "join", "sync", "publish", "reserve", "set_reserved"),
	}
}

// newScript joins a library and the operations that a call can select.
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
