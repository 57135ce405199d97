# SPDX-License-Identifier: Apache-2.0
# Nsight Compute's counters explained: three attention kernels on an H200, the change from one to another, and files that
# explain nothing.
ncu=$GOLDEN/../data/ncu
try pawl profile --import "$ncu/sdpa_3backends_raw.csv" | sed "s,$ncu,NCU,"
sed -n '1,3p' "$ncu/sdpa_3backends_raw.csv" >cudnn.csv
sed -n '1,2p;4p' "$ncu/sdpa_3backends_raw.csv" >flash.csv
try pawl profile --import flash.csv --base cudnn.csv | sed -n '1,11p'
try pawl profile --import cudnn.csv --base cudnn.csv | sed -n '1,4p'
# The pictures of a profile and its change; of one in which next to nothing is known there is no roofline.
quiet pawl -q profile --import flash.csv --base cudnn.csv -o pictures
printf '"ID","Kernel Name","gpu__time_duration.sum"\n"","","us"\n"0","scale","12.5"\n' >little.csv
quiet pawl -q profile --import little.csv -o little
# The names of these ceilings stand in each other's way.
quiet pawl -q profile --import "$GOLDEN/../data/cupti/sdpa_mma.csv" -o names
ls pictures little names
for picture in pictures/*.png; do echo "$picture $(head -c 4 "$picture" | tail -c 3)"; done
for picture in pictures/*.svg; do grep -c '<path' "$picture" | awk -v name="$picture" '{print name, ($1 > 10 ? "drawn" : "empty")}'; done
head -c 100000 cudnn.csv >cut.csv
echo '==PROF== Disconnected' >empty.csv
echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters' >permission.csv
try pawl profile --import cut.csv
try pawl profile --import empty.csv
try pawl profile --import permission.csv
try pawl profile --import missing.csv
try pawl profile
try pawl profile kernel --import cudnn.csv
