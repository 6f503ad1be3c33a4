/** The list of the files of a run, as the file `manifest.json`. */

import type { Language } from '#platform/errors'
import { type Manifest, type ManifestEntry, manifestPath } from '#work/documents'
import { sha256 } from '../journal/results.ts'
import { manifestTitle } from '../phrases.ts'
import type { ManifestFile } from '../schema.ts'
import type { FileRow } from './store.ts'

const mediaType = 'application/json'

/** The bytes of `manifest.json`, which cannot list itself, and the list of all files, which includes it. */
export function manifestOf(files: readonly FileRow[], language: Language) {
  const entries: ManifestEntry[] = files.map(({ path, media_type, bytes, sha256: sum, title }) => ({
    path,
    media_type,
    bytes: Number(bytes),
    sha256: sum,
    title,
  }))
  const text = `${JSON.stringify({ files: entries } satisfies Manifest, undefined, 2)}\n`
  const entry: ManifestFile = {
    path: manifestPath,
    media_type: mediaType,
    bytes: Buffer.byteLength(text),
    sha256: sha256(text),
    title: manifestTitle[language],
  }
  return { text, entry, listed: [...(entries as ManifestFile[]), entry] }
}
