/** Checks that an export fits into a cloud, before anything of it is written. */
import type { CloudLimits } from '#cloud/clouds'
import type { Localized } from '#platform/errors'
import { reasons } from './phrases.ts'
import { readLines, refuseLine } from './read-lines.ts'
import type { ExportLine, ImportResult } from './schema.ts'

export type ImportCounts = Omit<ImportResult, 'object' | 'id'>

/** Throws CLOUD_IMPORT_INVALID with the line at fault. */
export async function checkExport(path: string, limits: CloudLimits): Promise<ImportCounts> {
  const counted: ImportCounts = { users: 0, collections: 0, rows: 0, files: 0, functions: 0 }
  const seen = new Set<string>()
  let fileBytes = 0
  let bytesOfOne = 0
  for await (const { number, line } of readLines(path)) {
    const once = (name: string) => (seen.has(name) ? refuseLine(number, reasons.twice) : seen.add(name))
    const count = (what: keyof ImportCounts): void => {
      counted[what]++
      if (counted[what] > limits[what]) refuseLine(number, reasons.limit(what, limits[what]))
    }
    if (line.type === 'user') count('users')
    if (line.type === 'collection') count('collections')
    if (line.type === 'row') count('rows')
    if (line.type === 'file') count('files')
    if (line.type === 'function') count('functions')
    // The database finds duplicates of rows and users; files and functions have no other check.
    if (line.type === 'file' || line.type === 'function')
      once(line.type === 'file' ? `file ${line.id.toLowerCase()}` : `function ${line.name}`)
    const why = wrongTime(line)
    if (why) refuseLine(number, why)
    if (line.type !== 'file' && line.type !== 'file_part') continue
    const bytes = Buffer.from(line.content_base64, 'base64')
    // Text that is no Base64 would be left out silently.
    if (bytes.toString('base64') !== line.content_base64) refuseLine(number, reasons.notBase64)
    fileBytes += bytes.length
    bytesOfOne = bytes.length + (line.type === 'file' ? 0 : bytesOfOne)
    if (bytesOfOne > limits.fileBytes) refuseLine(number, reasons.limit('file_bytes', limits.fileBytes))
    if (fileBytes > limits.fileTotalBytes)
      refuseLine(number, reasons.limit('file_total_bytes', limits.fileTotalBytes))
  }
  return counted
}

const latest = Date.UTC(9999, 0)

function wrongTime(line: ExportLine): Localized | undefined {
  if (line.type !== 'row' && line.type !== 'file') return undefined
  const times = [line.created_at, ...(line.type === 'row' ? [line.updated_at] : [])].map(Date.parse)
  return times.every((time) => time >= 0 && time < latest) ? undefined : reasons.time
}
