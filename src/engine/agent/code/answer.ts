const mostCharacters = 200_000

/** The content of a file from an answer: its longest code block, or all of it where there is none. */
export function contentOf(answer: string): string {
  const text = answer.slice(0, mostCharacters).toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '')
  const blocks = [...text.matchAll(/^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)(?:^\1`*~*[ \t]*$|$(?![\s\S]))/gm)].map(
    ([, , code]) => code!,
  )
  const longest = blocks.toSorted((a, b) => b.length - a.length)[0]
  return `${(longest ?? text).replace(/\s+$/, '')}\n`
}

/** Markdown is its own answer: a block in it is a part of the file, unless it is all of it. */
export function markdownOf(answer: string): string {
  const text = answer.slice(0, mostCharacters).toWellFormed().replace(/\r\n?/g, '\n').trim()
  return `${/^(`{3,})(?:markdown|md)?[ \t]*\n([\s\S]*)\n\1$/.exec(text)?.[2] ?? text}\n`
}
