import { comparable } from '../words/comparable.ts'

export interface PaletteCommand {
  /** Unique; part of an id of an element. */
  name: string
  title: string
  note?: string
  /** The title in the other language, so that it is found in both. */
  also?: string
  run(): void
}

/** The commands that have every word of the text, those that begin with it first. */
export function found(commands: readonly PaletteCommand[], text: string): PaletteCommand[] {
  const wanted = comparable(text)
  if (wanted === '') return [...commands]
  const words = wanted.split(/\s+/)
  const textOf = ({ title, also, note }: PaletteCommand): string => comparable([title, also, note].join(' '))
  const fits = commands.filter((command) => words.every((word) => textOf(command).includes(word)))
  const rank = (command: PaletteCommand): number => (textOf(command).startsWith(wanted) ? 0 : 1)
  return fits.toSorted((a, b) => rank(a) - rank(b))
}
