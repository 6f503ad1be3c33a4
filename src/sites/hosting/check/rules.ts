import { isUtf8 } from 'node:buffer'
import { decodeBase64 } from '#platform/bytes'
import { headerBounds, parseHeaders } from '../headers-file.ts'
import type { HeaderRule, Redirect } from '../manifest.ts'
import { parseRedirects, redirectBounds } from '../redirects.ts'
import type { ParsedRules } from '../rules/lines.ts'
import type { ValidFile } from './judge.ts'
import type { Problem } from './problem.ts'

/** The most wrong lines that are reported. */
const maxProblems = 10

/** The rules of `_redirects` and `_headers`. */
export function readRules(
  bytes: Buffer,
  files: readonly ValidFile[],
): { redirects: Redirect[]; headers: HeaderRule[] } | { problems: Problem[] } {
  const redirects = rulesOf(bytes, fileAt(files, '_redirects'), parseRedirects, redirectBounds.maxBytes)
  const headers = rulesOf(bytes, fileAt(files, '_headers'), parseHeaders, headerBounds.maxBytes)
  const problems = [redirects, headers].flatMap((read) => ('problems' in read ? read.problems : []))
  if ('problems' in redirects || 'problems' in headers) return { problems: problems.slice(0, maxProblems) }
  return { redirects: redirects.rules, headers: headers.rules }
}

const fileAt = (files: readonly ValidFile[], path: string): ValidFile | undefined =>
  files.find((file) => file.path === path)

function rulesOf<Rule>(
  bytes: Buffer,
  file: ValidFile | undefined,
  parse: (text: string) => ParsedRules<Rule>,
  maxBytes: number,
): { rules: Rule[] } | { problems: Problem[] } {
  if (!file || !('content' in file.source)) return { rules: [] }
  const param = `files.${file.index}.content`
  const { start, end } = file.source.content
  // A file that is much too long is refused by its length, whatever stands in it.
  const maxEncodedLength = Math.ceil((maxBytes + 1) / 3) * 4
  const decoded = decodeBase64(bytes.toString('latin1', start, Math.min(end, start + maxEncodedLength)))
  if (!decoded) return { problems: [{ param, kind: 'notBase64' }] }
  if (end - start <= maxEncodedLength && !isUtf8(decoded))
    return { problems: [{ param, kind: 'rulesNotUtf8' }] }
  const parsed = parse(Buffer.from(decoded.buffer, decoded.byteOffset, decoded.length).toString('utf8'))
  if ('rules' in parsed) return parsed
  return { problems: parsed.problems.map(({ line, why }) => ({ param, kind: 'rule', line, why })) }
}
