/** What a style may not say: a side of the page, which has no meaning in both directions, and a colour that tokens.css has no name for. */

const rules: { pattern: RegExp; isColour?: boolean; why: string }[] = [
  {
    pattern: /(?:^|[\s;{])(?:[a-z-]+-)?(?:left|right)(?:-[a-z]+)?\s*:/,
    why: 'a property names a side: use its logical form, such as margin-inline-start',
  },
  {
    pattern: /(?:text-align|float|clear|caption-side)\s*:[^;]*\b(?:left|right)\b/,
    why: 'a value names a side: use start or end',
  },
  {
    pattern: /(?:margin|padding|inset)\s*:\s*\S+\s+\S+\s+\S+\s+\S+\s*;/,
    why: 'four values name sides: use -block and -inline',
  },
  {
    pattern: /border-radius\s*:\s*\S+\s+\S/,
    why: 'several radii name sides: use border-start-start-radius and the others',
  },
  {
    pattern: /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch|color)\(/i,
    isColour: true,
    why: 'a colour stands outside of tokens.css: give it a name there',
  },
]

/** The faults of a style sheet, each with file and line. */
export function styleFaults(file: string, text: string): string[] {
  // Comments are blanked, so that lines keep their numbers.
  const code = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
  return code
    .split('\n')
    .flatMap((line, at) =>
      rules
        .filter(({ pattern, isColour }) => pattern.test(line) && !(isColour && file.endsWith('/tokens.css')))
        .map(({ why }) => `${file}:${at + 1}: ${why}.`),
    )
}
