import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { owedOf } from './owed.ts'
import type { CampaignFolder } from './proves.ts'

const folder = (name: string, minutes: number, rooms: string[], files: string[] = []): CampaignFolder => ({
  ...{ name, minutes, rooms, files },
  guarantees: ['something'],
})
const kills = folder('kills', 16, ['src/platform/ledger'], ['migrations/**', 'package-lock.json'])
const films = folder('films', 9, ['src/media/video'])
const voice = folder('voice', 3, ['src/voice/realtime'])
const all = [films, voice, kills]

/** A checkout under git with one commit. */
function openCheckout() {
  const place = mkdtempDisposableSync(path.join(tmpdir(), 'kherad-owed-'))
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.org', ...words], {
      cwd: place.path,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  /** Commits one file; answers the commit. */
  const commit = (file: string, text = String(Math.random())): string => {
    mkdirSync(path.dirname(path.join(place.path, file)), { recursive: true })
    writeFileSync(path.join(place.path, file), text)
    git('add', '-A')
    git('commit', '-qm', file)
    return git('rev-parse', 'HEAD')
  }
  git('init', '-q')
  const first = commit('README.md')
  const owed = (proven: Record<string, string>) => owedOf(all, proven, place.path)
  const names = (proven: Record<string, string>) => owed(proven).map((one) => one.folder.name)
  return { first, commit, git, owed, names, [Symbol.dispose]: () => place.remove() }
}

test('what never passed is owed, and so is what passed at a commit that is not known here', () => {
  using checkout = openCheckout()
  const proven = { films: checkout.first, voice: 'f'.repeat(40) }
  expect(checkout.names(proven)).toEqual(['kills', 'voice'])
})

test('a folder is owed when a file that it proves changed since its own commit, and not for others', () => {
  using checkout = openCheckout()
  const proven = { films: checkout.first, voice: checkout.first, kills: checkout.first }
  checkout.commit('docs/guide.md')
  expect(checkout.names(proven)).toEqual([])
  const changed = checkout.commit('src/media/video/order.ts')
  expect(checkout.names(proven)).toEqual(['films'])
  expect(checkout.names({ ...proven, films: changed })).toEqual([])
  checkout.commit('src/media/video-of-another-room/order.ts')
  checkout.commit('src/media/video/order.test.ts')
  expect(checkout.names({ ...proven, films: changed })).toEqual([])
  checkout.commit('migrations/0001-start.sql')
  expect(checkout.names({ ...proven, films: changed })).toEqual(['kills'])
})

test('a file that moved out of a room makes the folders of both rooms owed', () => {
  using checkout = openCheckout()
  const base = checkout.commit('src/media/video/sound.ts', 'the same text in both places')
  checkout.git('mv', 'src/media/video/sound.ts', 'README.txt')
  checkout.git('commit', '-qm', 'moved')
  expect(checkout.names({ films: base, voice: base, kills: base })).toEqual(['films'])
})

test('money comes first whatever it costs, then what has tests that changed, then the cheapest', () => {
  using checkout = openCheckout()
  const proven = { films: checkout.first, voice: checkout.first, kills: checkout.first }
  checkout.commit('src/platform/ledger/books.ts')
  checkout.commit('src/voice/realtime/call.ts')
  checkout.commit('src/media/video/order.ts')
  expect(checkout.names(proven)).toEqual(['kills', 'voice', 'films'])
  checkout.commit('tests/campaign/films/proves.ts')
  expect(checkout.names(proven)).toEqual(['kills', 'voice', 'films'])
  checkout.commit('tests/campaign/films/late.test.ts')
  expect(checkout.names(proven)).toEqual(['kills', 'films', 'voice'])
})

test('commits are counted from the first that makes a folder owed', () => {
  using checkout = openCheckout()
  const proven = { films: checkout.first, voice: checkout.first, kills: checkout.first }
  checkout.commit('docs/guide.md')
  checkout.commit('src/media/video/order.ts')
  checkout.commit('docs/guide.md')
  checkout.commit('src/media/video/order.ts')
  expect(checkout.owed(proven).map((one) => [one.folder.name, one.commits])).toEqual([['films', 3]])
})

test('a folder that never passed is owed since it is there', () => {
  using checkout = openCheckout()
  checkout.commit('tests/campaign/voice/proves.ts')
  checkout.commit('docs/guide.md')
  checkout.commit('docs/guide.md')
  const proven = { films: checkout.first, kills: checkout.first }
  expect(checkout.owed(proven).map((one) => [one.folder.name, one.commits])).toEqual([['voice', 2]])
})
