import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 1,
  rooms: ['src/work/documents'],
  files: ['tests/work/documents/**'],
  guarantees: [
    'Documents that are made open in LibreOffice with every Persian word, table, chart and footnote in its place.',
  ],
}
