const fa = {
  completed: 'موفق',
  cached: 'از حافظه',
  completedSteps: (steps: string) => `موفق · ${steps} گام`,
  retried: (attempts: string) => `با ${attempts} تلاش`,
  retriedSteps: (steps: string, attempts: string) => `${steps} گام با ${attempts} تلاش`,
  running: 'در جریان',
  failed: 'ناموفق',
  failedCode: (code: string) => `ناموفق · ${code}`,
  left: 'قطع شد',
  ambiguous: 'پایان نامعلوم',
}

const en = {
  completed: 'Succeeded',
  cached: 'Cached input',
  completedSteps: (steps: string) => `Succeeded · ${steps} steps`,
  retried: (attempts: string) => `${attempts} attempts`,
  retriedSteps: (steps: string, attempts: string) => `${steps} steps, ${attempts} attempts`,
  running: 'Running',
  failed: 'Failed',
  failedCode: (code: string) => `Failed · ${code}`,
  left: 'Disconnected',
  ambiguous: 'End unknown',
} satisfies typeof fa

export const resultWords = { fa, en }
