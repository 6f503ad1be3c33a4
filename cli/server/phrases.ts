import { english, persian } from '#platform/words'
import { type BilingualText, sentence } from '../command.ts'

export const serverPhrases = {
  noKey: () =>
    sentence(
      'کلیدی داده نشده است: KHERAD_KEY را مقدار دهید، یا با --key-file فایلش را بنویسید.',
      'No key is given: set KHERAD_KEY, or name the file that has it with --key-file.',
    ),
  twoKeys: () =>
    sentence('--key و --key-file با هم نمی‌آیند: یکی را بنویسید.', 'Write either --key or --key-file.'),
  keyTooLong: () => sentence('ورودی بلندتر از هر کلید است.', 'The input is longer than any key.'),
  badUrl: (typed: string) =>
    sentence(
      `--url برابر «${typed}» است: نشانی سرور را مانند http://127.0.0.1:8080 بنویسید.`,
      `--url is "${typed}": write the address of the server, such as http://127.0.0.1:8080.`,
    ),
  badKey: () =>
    sentence(
      'کلید کاراکتری دارد که در هیچ کلیدی نیست: آن را همان‌گونه که ساخته شد بنویسید (khr_… یا khm_…).',
      'The key has a character that no key has: write it as it was made (khr_… or khm_…).',
    ),
  waiting: (url: string) =>
    sentence(
      `سرور پاسخ نمی‌دهد (${url})؛ تا حدود دو دقیقه دوباره امتحان می‌شود. آیا سرور روشن است؟`,
      `The server does not answer (${url}); it is tried again for about two minutes. Is it running?`,
    ),
  again: ({ fa, en }: BilingualText) =>
    sentence(`${fa} تا حدود دو دقیقه دوباره امتحان می‌شود.`, `${en} It is tried again for about two minutes.`),
  notKherad: (status: number) =>
    sentence(
      `آنچه در این نشانی پاسخ می‌دهد (HTTP ${status}) خرد نیست: KHERAD_BASE_URL یا --url را درست کنید.`,
      `What answers at this address (HTTP ${status}) is not Kherad: correct KHERAD_BASE_URL or --url.`,
    ),
  tooLarge: (maxBytes: number) =>
    sentence(
      `پاسخ سرور بیش از ${persian(maxBytes)} بایت است و تا پایان خوانده نشد.`,
      `The server's answer is larger than ${english(maxBytes)} bytes; it was not read to its end.`,
    ),
  badAnswer: () =>
    sentence(
      'پاسخ سرور خوانده نشد: شاید نسخهٔ سرور با این دستور جور نیست.',
      'The answer of the server could not be read: its version may not fit this command.',
    ),
  away: (url: string) =>
    sentence(
      `سرور پاسخ نداد: ${url}. آن را روشن کنید (npm start) یا نشانی‌اش را با --url بنویسید.`,
      `The server does not answer: ${url}. Start it (npm start), or write its address with --url.`,
    ),
}

/** The options that name a server and its key. */
export const connection = ['url', 'key', 'key-file'] as const

export const serverOptions: Readonly<Record<string, { value: string; about: BilingualText }>> = {
  url: {
    value: 'URL',
    about: sentence(
      'نشانی سرور؛ در نبودش KHERAD_BASE_URL یا این ماشین',
      'the server; KHERAD_BASE_URL or this machine when left out',
    ),
  },
  key: {
    value: 'khr_…|-',
    about: sentence(
      'کلید، یا - برای خواندن از ورودی؛ در نبودش KHERAD_KEY. آنچه اینجا نوشته شود در ps دیده می‌شود',
      'the key, or - to read it from the input; KHERAD_KEY when left out. What is written here is seen in ps',
    ),
  },
  'key-file': {
    value: 'FILE',
    about: sentence('فایلی که کلید در آن است', 'a file that has the key'),
  },
}
