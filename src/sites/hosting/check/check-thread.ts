/** Reads, judges and unpacks one publication at a time, in a thread of its own. Started by check.ts. */
import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { freeBytes, ownBuffer } from '#platform/bytes'
import { type JsonTrouble, NotJson } from '#platform/json'
import { serveTasks } from '#platform/threads'
import type { HeaderRule, Redirect } from '../manifest.ts'
import { type Judged, type JudgedFile, judge, ruleFiles } from './judge.ts'
import { mediaTypeOf } from './media-types.ts'
import { PackWriter } from './pack-writer.ts'
import { type Problem, Wrong } from './problem.ts'
import { readBody } from './read-body.ts'
import { readRules } from './rules.ts'

export interface CheckTask {
  /** The file that has the body, and its size. */
  body: { path: string; bytes: number }
  /** The path where the pack is written. */
  pack: string
  limits: { files: number; totalBytes: number; fileBytes: number }
}

export type CheckReport =
  | { trouble: JsonTrouble }
  | { problems: Problem[] }
  | { isFull: true }
  | (Omit<Judged, 'files'> & {
      files: ReportedFile[]
      redirects: Redirect[]
      headers: HeaderRule[]
      pack: { bytes: number; sha256: string }
    })

export interface ReportedFile {
  index: number
  path: string
  mediaType: string
  sha256: string
  /** The place of its bytes in the pack; undefined where only its hash was sent. */
  packed: { offset: number; bytes: number } | undefined
}

serveTasks(check)

function check({ body, pack, limits }: CheckTask): CheckReport {
  const bytes = wholeFile(body)
  try {
    if (!isUtf8(bytes)) return { trouble: { kind: 'notUtf8' } }
    const judged = judge(bytes, readBody(bytes, limits.files), limits)
    return 'problems' in judged ? judged : unpack(bytes, judged, pack)
  } catch (error) {
    if (error instanceof Wrong) return { problems: [error.problem] }
    if (error instanceof NotJson) return { trouble: error.trouble }
    if (fullDisk.has((error as NodeJS.ErrnoException).code)) return { isFull: true }
    throw error
  } finally {
    freeBytes(bytes)
  }
}

const fullDisk = new Set<string | undefined>(['ENOSPC', 'EDQUOT'])

function wholeFile({ path, bytes }: CheckTask['body']): Buffer {
  const buffer = ownBuffer(bytes).subarray(0, bytes)
  const file = openSync(path, 'r')
  try {
    for (let at = 0; at < bytes; ) {
      const read = readSync(file, buffer, at, bytes - at, at)
      if (read === 0) throw new Error('the body is shorter than it was')
      at += read
    }
    return buffer
  } finally {
    closeSync(file)
  }
}

function unpack(bytes: Buffer, { files, ...fields }: Judged, place: string): CheckReport {
  const rules = readRules(bytes, files)
  if ('problems' in rules) return rules
  const file = openSync(place, 'wx', 0o600)
  try {
    const pack = new PackWriter(file, bytes)
    const written: ReportedFile[] = []
    for (const judged of files) {
      if (ruleFiles.has(judged.path)) continue
      const one = packed(pack, judged)
      if (!one) return { problems: [{ param: `files.${judged.index}.content`, kind: 'notBase64' }] }
      written.push(one)
    }
    return { ...fields, ...rules, files: written, pack: pack.end() }
  } finally {
    closeSync(file)
  }
}

function packed(pack: PackWriter, { index, path, source }: JudgedFile): ReportedFile | undefined {
  const about = { index, path, mediaType: mediaTypeOf(path) }
  if ('sha256' in source) return { ...about, sha256: source.sha256, packed: undefined }
  const written = pack.write(source.content)
  return (
    written && { ...about, sha256: written.sha256, packed: { offset: written.offset, bytes: source.bytes } }
  )
}
