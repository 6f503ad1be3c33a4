const fa = {
  home: 'خانه',
  keys: 'کلیدها',
  models: 'مدل‌ها',
  requests: 'درخواست‌ها',
  usage: 'مصرف',
  account: 'اعتبار و سقف‌ها',
  members: 'اعضا',
  managementKeys: 'کلیدهای مدیریتی',
  audit: 'گزارش تغییرها',
  profile: 'نمایه و امنیت',
}

const en = {
  home: 'Home',
  keys: 'Keys',
  models: 'Models',
  requests: 'Requests',
  usage: 'Usage',
  account: 'Credit and caps',
  members: 'Members',
  managementKeys: 'Management keys',
  audit: 'Audit log',
  profile: 'Profile and security',
} satisfies typeof fa

export const pageWords = { fa, en }
