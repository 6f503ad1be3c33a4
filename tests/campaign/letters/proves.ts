import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 1,
  rooms: [
    'src/account/letters',
    'src/account/mail-routes',
    'src/account/notices',
    'src/account/people-sweep',
    'src/account/sign-in',
  ],
  files: ['tests/account/letter-samples.ts', 'scripts/write-letters.ts'],
  guarantees: [
    'Every letter to people can be read in a browser at the widths of a desktop and of a phone, in both languages, whatever names stand in it.',
  ],
}
