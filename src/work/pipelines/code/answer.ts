const maxCharacters = 200_000

/** Extracts the content of a file from an answer: its longest code block, or the entire answer if it has none. */
export function contentOf(answer: string): string {
  const text = answer.slice(0, maxCharacters).toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '')
  const mainBlock = codeBlocks(text).toSorted((a, b) => b.length - a.length)[0]
  return `${(mainBlock ?? text).trimEnd()}\n`
}

/** The contents of fenced code blocks; the last one may be unclosed. */
function codeBlocks(text: string): string[] {
  const blocks: string[] = []
  let open: { fence: string; from: number } | undefined
  let from = 0
  for (const line of text.split('\n')) {
    const next = from + line.length + 1
    if (!open) {
      const fence = /^(?:`{3,}|~{3,})/.exec(line)?.[0]
      if (fence && next <= text.length) open = { fence, from: next }
    } else if (line.startsWith(open.fence) && /^`*~*[ \t]*$/.test(line)) {
      blocks.push(text.slice(open.from, from))
      open = undefined
    }
    from = next
  }
  return open ? [...blocks, text.slice(open.from)] : blocks
}

/** Extracts a Markdown file from an answer: code blocks belong to the file, unless a single one contains all of it. */
export function markdownOf(answer: string): string {
  const text = answer.slice(0, maxCharacters).toWellFormed().replace(/\r\n?/g, '\n').trim()
  return `${/^(`{3,})(?:markdown|md)?[ \t]*\n([\s\S]*)\n\1$/.exec(text)?.[2] ?? text}\n`
}
