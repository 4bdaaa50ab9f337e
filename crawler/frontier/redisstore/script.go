package redisstore

import (
	"crypto/sha1" //nolint:gosec // how Redis names scripts
	_ "embed"
	"encoding/hex"
)

//go:embed script/lib.lua
var libText string

//go:embed script/turn.lua
var turnText string

//go:embed script/heads.lua
var headsText string

//go:embed script/extend.lua
var extendText string

//go:embed script/hold.lua
var holdText string

//go:embed script/unhold.lua
var unholdText string

//go:embed script/release.lua
var releaseText string

//go:embed script/update.lua
var updateText string

//go:embed script/host.lua
var hostText string

//go:embed script/stats.lua
var statsText string

//go:embed script/list.lua
var listText string

//go:embed script/boot.lua
var bootText string

//go:embed script/reclaim.lua
var reclaimText string

//go:embed script/intent.lua
var intentText string

//go:embed script/create.lua
var createText string

//go:embed script/join.lua
var joinText string

// A script is one of a crawl. The crawl's keys stand in its text, so that no
// other crawl has it: a server that does not know it has not yet worked for this
// crawl since it began to run.
type script struct {
	text, sha string
}

func newScript(text, namespace string) script {
	text = "-- " + namespace + "\n" + text
	sum := sha1.Sum([]byte(text)) //nolint:gosec // how Redis names scripts
	return script{text: text, sha: hex.EncodeToString(sum[:])}
}

type scripts struct {
	turn, heads, extend, hold, unhold, release, update, host, stats, list, boot, reclaim, intent script
}

func newScripts(namespace string) scripts {
	with := func(text string) script { return newScript(libText+"\n"+text, namespace) }
	return scripts{
		turn: with(turnText), heads: with(headsText), extend: with(extendText),
		hold: with(holdText), unhold: with(unholdText), release: with(releaseText),
		update: with(updateText), host: with(hostText), stats: with(statsText), list: with(listText),
		boot: with(bootText), reclaim: with(reclaimText), intent: with(intentText),
	}
}
