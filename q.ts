import { makeFilm } from './src/providers/sandbox/video/film.ts'
import { writeFileSync } from 'node:fs'
const signal = new AbortController().signal
const [,, w='1920', h='1080', s='30', out='/tmp/vs/f.mp4'] = process.argv
const c0 = process.cpuUsage(); const t0 = performance.now()
const bytes = await makeFilm({ prompt: 'گربه‌ای سفید در کوچه‌های یزد آرام راه می‌رود و به آسمان آبی نگاه می‌کند', seconds: +s, size: { width: +w, height: +h }, withAudio: true, guides: [], frames: [] }, signal)
const c = process.cpuUsage(c0)
console.log(bytes.length, 'cpu', (c.user+c.system)/1e3, 'ms wall', performance.now()-t0)
writeFileSync(out, bytes)
