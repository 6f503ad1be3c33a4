const fa = {
  home: 'خانه',
  keys: 'کلیدها',
  models: 'مدل‌ها',
  account: 'اعتبار و سقف‌ها',
  members: 'اعضا',
  audit: 'گزارش تغییرها',
  profile: 'نمایه و امنیت',
}

const en = {
  home: 'Home',
  keys: 'Keys',
  models: 'Models',
  account: 'Credit and caps',
  members: 'Members',
  audit: 'Audit log',
  profile: 'Profile and security',
} satisfies typeof fa

export const pageWords = { fa, en }
