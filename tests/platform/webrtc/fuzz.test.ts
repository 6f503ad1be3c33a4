/** The fuzzer of WebRTC stays alive: a few cases of each target, drawn by the commit. `fuzz.ts` runs it for hours (tests/README.md). */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { testSeed } from '../../harness/seed.ts'
import { corpusBounds, corpusFolder, corpusKinds, readCorpus } from './fuzz/corpus.ts'
import { Fuzzer } from './fuzz/fuzzer.ts'
import type { Finding } from './fuzz/journal.ts'
import { targetNames } from './fuzz/targets.ts'

/** Some of each target, and the one of another implementation's handshake. */
const numbers = [...Array.from({ length: 320 }, (_, at) => at), 499]

test('whatever bytes come, the endpoint of WebRTC throws nothing, and serves a healthy client afterwards', async () => {
  const findings: Finding[] = []
  await using fuzzer = await Fuzzer.open({
    seed: testSeed,
    corpus: readCorpus(),
    // Processor time is not asked here: other files may share this process and its garbage.
    found: (finding) => void (finding.kind !== 'slow' && findings.push(finding)),
  })
  for (const number of numbers) await fuzzer.run(number)
  await fuzzer.endBlock(numbers.length)
  expect(findings, `seed ${testSeed} (KHERAD_TEST_SEED repeats it)`).toEqual([])
  expect(fuzzer.stats.healthyCalls).toBe(1)
  for (const name of targetNames) expect(fuzzer.stats.targets[name].cases, name).toBeGreaterThan(0)
})

test('the corpus is small', () => {
  const files = corpusKinds.flatMap((kind) => {
    const folder = path.join(corpusFolder, kind)
    return readdirSync(folder).map((name) => path.join(folder, name))
  })
  expect(files.length).toBeLessThanOrEqual(corpusBounds.files)
  for (const file of files) expect(statSync(file).size, file).toBeLessThanOrEqual(corpusBounds.bytes)
})
