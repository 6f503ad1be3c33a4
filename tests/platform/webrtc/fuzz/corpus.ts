/** The corpus: small real inputs of each target, as files of a folder for each. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Finding } from './journal.ts'

/** The kinds of inputs, each a folder of the corpus. */
export const corpusKinds = ['sdp', 'stun', 'dtls', 'rtp', 'rtcp', 'sctp', 'tcp'] as const
export type CorpusKind = (typeof corpusKinds)[number]
export type Corpus = Readonly<Record<CorpusKind, readonly Buffer[]>>

export const corpusFolder = path.join(import.meta.dirname, '../corpus')
export const corpusBounds = { files: 60, bytes: 4_096 } as const

/** Reads the corpus, in the order of names, so that the same seed draws the same inputs. Throws where a kind has none. */
export function readCorpus(folder = corpusFolder): Corpus {
  const of = (kind: CorpusKind): Buffer[] => {
    const names = readdirSync(path.join(folder, kind)).toSorted()
    if (names.length === 0) throw new Error(`The corpus has no file in ${kind}: run fuzz.ts --record.`)
    return names.map((name) => readFileSync(path.join(folder, kind, name)))
  }
  const corpus = Object.fromEntries(corpusKinds.map((kind) => [kind, of(kind)]))
  return corpus as Record<CorpusKind, Buffer[]>
}

/** Writes one input. Throws where it is too long for the corpus. */
export function writeInput(folder: string, kind: CorpusKind, name: string, bytes: Uint8Array): void {
  if (bytes.length === 0 || bytes.length > corpusBounds.bytes)
    throw new Error(`${kind}/${name} has ${bytes.length} bytes`)
  mkdirSync(path.join(folder, kind), { recursive: true })
  writeFileSync(path.join(folder, kind, name), bytes)
}

/** Writes what a case was that broke a rule; returns the path of the file. */
export function writeCrash(folder: string, finding: Finding): string {
  const crashes = path.join(folder, 'crashes')
  mkdirSync(crashes, { recursive: true })
  const target = finding.target.replace(' ', '-')
  const file = path.join(crashes, `${target}-${finding.kind}-${finding.seed}-${finding.number}.json`)
  writeFileSync(file, `${JSON.stringify(finding, null, 2)}\n`)
  return file
}
