/** What a file of the console draws itself, though one piece has it for all. */

const rules: { pattern: RegExp; piece: string; why: string }[] = [
  {
    pattern: /<form\b/,
    piece: 'console/pieces/form.tsx',
    why: 'a form of the browser has its bubbles in its own language: use Form',
  },
]

/** The faults of a file of the console, each with its line. */
export function pieceFaults(file: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) =>
      rules
        .filter(({ pattern, piece }) => file !== piece && pattern.test(line))
        .map(({ piece, why }) => `${file}:${at + 1}: ${why} of ${piece}.`),
    )
}
