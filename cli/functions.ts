import { randomBytes } from 'node:crypto'
import type { Command, Outcome } from './command.ts'

export const functionHostCommands: Command[] = [
  {
    name: 'functions key',
    about: {
      fa: 'کلیدی تازه برای کانال میان API و میزبان تابع‌ها (KHERAD_FUNCTIONS_KEY).',
      en: 'A new key for the channel between the API and a host of functions (KHERAD_FUNCTIONS_KEY).',
    },
    takes: [],
    options: [],
    needs: [],
    run: makeKey,
  },
]

/** 32 random bytes. It is kept nowhere: whoever made it writes it down on both sides. */
async function makeKey(): Promise<Outcome> {
  const key = randomBytes(32).toString('base64url')
  return { json: { key }, text: `${key}\n` }
}
