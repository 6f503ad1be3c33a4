const fa = {
  these: {
    left: 'این کلیدهای مدیریتی را او ساخته است؛ هم‌زمان پایان می‌یابند و برنامه‌هایشان می‌ایستند:',
    you: 'این کلیدهای مدیریتی را شما ساخته‌اید؛ هم‌زمان پایان می‌یابند و برنامه‌هایشان می‌ایستند:',
    role: 'با این دسترسی، کلیدهای مدیریتی‌ای که او ساخته است پایان می‌یابند و برنامه‌هایشان می‌ایستند:',
  },
  unknown: {
    left: 'کلیدهای مدیریتی‌ای که او ساخته است هم‌زمان پایان می‌یابند. نامشان اکنون خوانده نشد.',
    you: 'کلیدهای مدیریتی‌ای که شما ساخته‌اید هم‌زمان پایان می‌یابند. نامشان اکنون خوانده نشد.',
    role: 'با این دسترسی، کلیدهای مدیریتی‌ای که او ساخته است پایان می‌یابند. نامشان اکنون خوانده نشد.',
  },
}

const en = {
  these: {
    left: 'They made these management keys, which end at the same moment, and their programs stop:',
    you: 'You made these management keys, which end at the same moment, and their programs stop:',
    role: 'With this access the management keys that they made end, and their programs stop:',
  },
  unknown: {
    left: 'Management keys that they made end at the same moment. Their names could not be read now.',
    you: 'Management keys that you made end at the same moment. Their names could not be read now.',
    role: 'With this access management keys that they made end. Their names could not be read now.',
  },
} satisfies typeof fa

export const endingWords = { fa, en }
