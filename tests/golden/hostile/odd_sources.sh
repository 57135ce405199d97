# SPDX-License-Identifier: Apache-2.0
# Sources that are no files: said at once, nothing waits for them. Then a library that is not there, by the linker's words.
repository
cp pawl.yaml whole.yaml
mkfifo pipe.c
ln -s /dev/zero endless.c
mkdir folder.c
for source in pipe.c endless.c folder.c nothing.c; do
  sed "s#kernels/scale_cpu.c#$source#" whole.yaml >pawl.yaml
  try timeout 10 pawl build
done
sed 's#scale_cpu.c\]#scale_cpu.c], libs: [of_nobody]#' whole.yaml >pawl.yaml
pawl build | grep -o 'cannot find -lof_nobody'
mkdir "two
lines"
cp -r whole.yaml kernels operators "two
lines"
cd "two
lines"
mv whole.yaml pawl.yaml
try pawl build
