const fa = {
  completed: 'موفق',
  cached: 'از حافظه',
  retried: (attempts: string) => `با ${attempts} تلاش`,
  running: 'در جریان',
  failed: 'ناموفق',
  failedCode: (code: string) => `ناموفق · ${code}`,
  left: 'قطع شد',
  ambiguous: 'پایان نامعلوم',
}

const en = {
  completed: 'Succeeded',
  cached: 'Cached input',
  retried: (attempts: string) => `${attempts} attempts`,
  running: 'Running',
  failed: 'Failed',
  failedCode: (code: string) => `Failed · ${code}`,
  left: 'Disconnected',
  ambiguous: 'End unknown',
} satisfies typeof fa

export const resultWords = { fa, en }
