import type { Exception } from './exceptions.ts'
import { type FoundPattern, findPatterns } from './find.ts'
import { judgePattern } from './judge.ts'

export interface SourceFile {
  file: string
  code: string
}

/** One sentence for every regular expression that is super-linear or cannot be judged, and for every exception without use. */
export function offencesIn(sources: readonly SourceFile[], exceptions: readonly Exception[]): string[] {
  const unused = new Set(exceptions)
  const judged = new Map<string, string | undefined>()
  const offences: string[] = []
  for (const { file, code } of sources) {
    for (const found of findPatterns(code)) {
      const excused = exceptions.filter((one) => one.file === file && one.pattern === found.source)
      for (const exception of excused) unused.delete(exception)
      const shown = `/${found.source}/${found.flags ?? ''}`
      if (excused.length === 0 && !judged.has(shown)) judged.set(shown, complaintOf(found))
      const complaint = excused.length === 0 && judged.get(shown)
      if (complaint) offences.push(`${file}:${found.line} ${found.source}\n    ${complaint}`)
    }
  }
  const idle = [...unused].map(
    ({ file, pattern }) => `${file} ${pattern}\n    an exception that excuses nothing: delete it`,
  )
  return [...offences, ...idle]
}

function complaintOf({ source, flags }: FoundPattern): string | undefined {
  if (flags === undefined) return 'made of a string: nothing can judge it before it runs'
  try {
    return judgePattern(source, flags)[0]
  } catch (error) {
    return `cannot be judged: ${(error as Error).message}`
  }
}
