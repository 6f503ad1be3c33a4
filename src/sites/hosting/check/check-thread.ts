/** Reads, judges and unpacks one publication at a time, in a thread of its own. Started by check.ts. */
import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { freeBytes, ownBuffer } from '#platform/bytes'
import { type JsonTrouble, NotJson } from '#platform/json'
import { serveTasks } from '#platform/threads'
import type { HeaderRule, Redirect } from '../manifest.ts'
import { ruleFiles, type ValidFile, type ValidPublication, validatePublication } from './judge.ts'
import { mediaTypeByName } from './media-types.ts'
import { PackWriter } from './pack-writer.ts'
import { InvalidPublication, type Problem } from './problem.ts'
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
  | (Omit<ValidPublication, 'files'> & {
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
    const validated = validatePublication(bytes, readBody(bytes, limits.files), limits)
    return 'problems' in validated ? validated : writePack(bytes, validated, pack)
  } catch (error) {
    if (error instanceof InvalidPublication) return { problems: [error.problem] }
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

function writePack(bytes: Buffer, { files, ...fields }: ValidPublication, place: string): CheckReport {
  const rules = readRules(bytes, files)
  if ('problems' in rules) return rules
  const file = openSync(place, 'wx', 0o600)
  try {
    const pack = new PackWriter(file, bytes)
    const written: ReportedFile[] = []
    for (const validated of files) {
      if (ruleFiles.has(validated.path)) continue
      const one = packFile(pack, validated)
      if (!one) return { problems: [{ param: `files.${validated.index}.content`, kind: 'notBase64' }] }
      written.push(one)
    }
    return { ...fields, ...rules, files: written, pack: pack.end() }
  } finally {
    closeSync(file)
  }
}

function packFile(pack: PackWriter, { index, path, source }: ValidFile): ReportedFile | undefined {
  const about = { index, path, mediaType: mediaTypeByName(path) }
  if ('sha256' in source) return { ...about, sha256: source.sha256, packed: undefined }
  const written = pack.write(source.content)
  return (
    written && { ...about, sha256: written.sha256, packed: { offset: written.offset, bytes: source.bytes } }
  )
}
